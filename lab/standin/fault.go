package standin

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Fault changes what the stand-ins do with some objects.
type Fault struct {
	// Delay replaces the default delay where it is not 0; Never means that the
	// stand-in does not act at all.
	Delay time.Duration
	// Stale makes the stand-in report a good status, but of an older
	// generation, as a controller does that has not yet looked.
	Stale bool
	// Stalled makes the object fail for good, as the annotation does.
	Stalled bool
}

// SetFault sets the fault of an object, named Kind/namespace/name (Kind/name
// where it has no namespace), or of all objects of a Kind. The zero Fault heals.
func (r *Runner) SetFault(target string, f Fault) {
	r.mu.Lock()
	if f == (Fault{}) {
		delete(r.faults, target)
	} else {
		r.faults[target] = f
	}
	controllers := r.controllers
	r.mu.Unlock()
	for _, c := range controllers {
		c.requeueAll()
	}
}

// fault is what applies to an object: the annotations on it, then the fault
// set on it, then that of its kind.
func (r *Runner) fault(obj *unstructured.Unstructured) Fault {
	r.mu.Lock()
	f, ok := r.faults[describe(obj)]
	if !ok {
		f = r.faults[obj.GetKind()]
	}
	r.mu.Unlock()
	notes := obj.GetAnnotations()
	if notes[FaultAnnotation] == "stalled" {
		f.Stalled = true
	}
	if notes[FaultAnnotation] == "stale" {
		f.Stale = true
	}
	switch text := notes[DelayAnnotation]; text {
	case "":
	case "never":
		f.Delay = Never
	default:
		if d, err := time.ParseDuration(text); err == nil {
			f.Delay = d
		} else {
			r.logf("stand-in: %s: annotation %s: %v", describe(obj), DelayAnnotation, err)
		}
	}
	return f
}
