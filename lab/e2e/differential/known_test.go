package differential

// What is wrong with the model and not mended yet, as trees show it.
const (
	skippedDefinition = "model: a definition or a Class that is skipped and does not exist fails its set (docs/reference/flux-facts.md)"
	stagewise         = "model: what an earlier stage has applied stays when a later one fails"
	ownVersion        = "model: a definition in the set counts for versions that it does not serve"
	farHealth         = "model: a health check on an object of a set that waits for this one is a circle"
)

// known are trees for which the model and the cluster differ, with the reason.
// A tree that agrees again fails, so that the list does not outlive the faults.
var known = map[string]string{
	"random-32": ownVersion,
	"random-38": ownVersion,
	"random-43": ownVersion,
	"random-55": skippedDefinition,
	"random-58": stagewise,
	"random-61": skippedDefinition,
	"random-70": skippedDefinition,
	"random-73": skippedDefinition,
	"random-81": skippedDefinition,
	"random-94": farHealth,
}
