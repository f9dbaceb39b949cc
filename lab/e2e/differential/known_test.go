package differential

// What is wrong with the model and not mended yet, as trees show it.
const (
	skippedDefinition = "model: a definition or a Class that is skipped and does not exist fails its set (docs/reference/flux-facts.md)"
	stagewise         = "model: what an earlier stage has applied stays when a later one fails"
)

// known are trees for which the model and the cluster differ, with the reason.
// A tree that agrees again fails, so that the list does not outlive the faults.
var known = map[string]string{
	"random-58": stagewise,
	"random-61": skippedDefinition,
}
