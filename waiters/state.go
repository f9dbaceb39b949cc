package waiters

import "fmt"

// State is what one look at an object tells us.
type State int

// The zero State means that nothing has been seen yet.
const (
	Unknown     State = iota
	Missing           // the object does not exist (yet); not an error
	Suspended         // spec.suspend is true
	Blocked           // a dependency is not ready
	Progressing       // being worked on, or about to be
	Retrying          // the last attempt failed; the controller tries again
	Stalled           // the controller gave up; waiting longer will not help
	Stale             // Ready, but at an older revision
	Ready             // done
)

// String returns the name used in logs and JSON.
func (s State) String() string {
	switch s {
	case Unknown:
		return "Unknown"
	case Missing:
		return "Missing"
	case Suspended:
		return "Suspended"
	case Blocked:
		return "Blocked"
	case Progressing:
		return "Progressing"
	case Retrying:
		return "Retrying"
	case Stalled:
		return "Stalled"
	case Stale:
		return "Stale"
	case Ready:
		return "Ready"
	}
	return fmt.Sprintf("State(%d)", int(s))
}

// Observation is one look at one object. It is comparable: two equal
// observations are the same sight.
type Observation struct {
	State   State
	Reason  string // CamelCase, from the condition where there is one
	Message string // the controller's own words, shortened
	// Revision is what the object is at: applied when Ready or Stale,
	// attempted otherwise. Empty when there is none.
	Revision string
	// Cause is the classified reason for not being ready. Its Kind is
	// NoCause when there is nothing to explain.
	Cause Cause
}
