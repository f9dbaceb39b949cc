package waiters

import "fmt"

// Class says what can be expected of a cause.
type Class int

// Classes. The zero Class is for causes that explain nothing.
const (
	NoClass Class = iota
	// Passing heals by itself or by a retry; it has a wall-clock budget.
	Passing
	// NeedsAction heals when somebody or something outside the object acts:
	// a Secret is made, a permission is given.
	NeedsAction
	// Terminal does not heal at this revision.
	Terminal
)

// String returns the name used in logs and JSON.
func (c Class) String() string {
	switch c {
	case NoClass:
		return ""
	case Passing:
		return "passing"
	case NeedsAction:
		return "needs action"
	case Terminal:
		return "terminal"
	}
	return fmt.Sprintf("Class(%d)", int(c))
}

// CauseKind names why something is not ready. The names are public: they are
// in JSON and in the documentation.
type CauseKind string

// Cause kinds.
const (
	NoCause              CauseKind = ""
	MissingKind          CauseKind = "MissingKind"          // the API server does not serve the kind
	MissingNamespace     CauseKind = "MissingNamespace"     // an object's namespace does not exist
	WebhookUnavailable   CauseKind = "WebhookUnavailable"   // an admission webhook does not answer
	AdmissionDenied      CauseKind = "AdmissionDenied"      // a webhook or policy said no
	DependencyNotReady   CauseKind = "DependencyNotReady"   // dependsOn target exists and is not ready
	DependencyNotFound   CauseKind = "DependencyNotFound"   // dependsOn target does not exist
	DependencyCycle      CauseKind = "DependencyCycle"      // dependsOn goes round
	DependencySuspended  CauseKind = "DependencySuspended"  // dependsOn target is suspended on purpose
	SourceMissing        CauseKind = "SourceMissing"        // the source object does not exist
	SourceNoArtifact     CauseKind = "SourceNoArtifact"     // the source has nothing fetched
	SourceUnauthorised   CauseKind = "SourceUnauthorised"   // the source's credentials are refused
	SourceUnreachable    CauseKind = "SourceUnreachable"    // the source's host does not answer
	SourceRefMissing     CauseKind = "SourceRefMissing"     // the repository, branch, tag or chart is not there
	SourceUnverified     CauseKind = "SourceUnverified"     // a signature does not verify
	PathMissing          CauseKind = "PathMissing"          // spec.path is not in the artifact
	BuildFailed          CauseKind = "BuildFailed"          // kustomize refuses the tree
	UndefinedVariable    CauseKind = "UndefinedVariable"    // strict substitution found an undefined ${VAR}
	SubstituteMissing    CauseKind = "SubstituteMissing"    // a substituteFrom object does not exist
	DecryptionFailed     CauseKind = "DecryptionFailed"     // SOPS key missing or wrong
	InvalidObject        CauseKind = "InvalidObject"        // the API server refuses an object as invalid
	ImmutableField       CauseKind = "ImmutableField"       // an update changes what cannot change
	HealthCheckTimeout   CauseKind = "HealthCheckTimeout"   // an applied object did not become healthy in time
	HealthCheckFailed    CauseKind = "HealthCheckFailed"    // an applied object failed for good
	HelmRetriesExhausted CauseKind = "HelmRetriesExhausted" // a HelmRelease gave up
	Conflict             CauseKind = "Conflict"             // two writers
	APIUnavailable       CauseKind = "APIUnavailable"       // the API server (or an aggregated one) does not answer
	Unauthorised         CauseKind = "Unauthorised"         // the controller may not do it
	PruneFailed          CauseKind = "PruneFailed"          // deleting what left the set failed
	NoStatusYet          CauseKind = "NoStatusYet"          // a CR that normally has a status has none
	InvalidSpec          CauseKind = "InvalidSpec"          // the Flux object itself is wrong (CEL, gate, cross-namespace)
	NotApplied           CauseKind = "NotApplied"           // it does not exist, and nothing applies it
	Unclassified         CauseKind = "Unclassified"         // none of the above
)

// Cause is the classified reason why something is not ready. It is comparable.
type Cause struct {
	Kind  CauseKind
	Class Class
	// Subject is what the cause is about, as a person would name it:
	// "StorageProfile/longhorn", "ConfigMap flux-system/cluster-vars".
	Subject string
	// Remedy is one sentence.
	Remedy string
}
