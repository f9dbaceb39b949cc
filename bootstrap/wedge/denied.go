package wedge

import (
	"context"
	"fmt"
	"strings"

	"github.com/standup-sh/standup/tiers"
)

// Denial is a set of which a webhook or a policy refuses an object. Where what
// would permit the object is in the same set, it is a wedge of its own: the
// dry-run does not keep the one, and so the other is refused for ever.
type Denial struct {
	Kustomization tiers.Ref
	// Message is what was said of the refused object.
	Message string
	// Siblings are the objects of the set that could be applied and do not exist:
	// one of them may be what permits the other. Which, only a person can tell.
	Siblings []Located
}

// String is one sentence.
func (d *Denial) String() string {
	var names []string
	for _, s := range d.Siblings {
		names = append(names, s.Ref().String())
	}
	return fmt.Sprintf("%s is refused by admission: %s; of its set these do not exist either: %s",
		d.Kustomization, d.Message, strings.Join(names, ", "))
}

// Remedy is one sentence.
func (d *Denial) Remedy() string {
	return fmt.Sprintf("If one of them permits the refused object: standup crds --kustomization %s --pre-apply KIND/NAMESPACE/NAME; and move it to a Kustomization that this one depends on.",
		d.Kustomization.NamespacedName())
}

// Denied looks at a set of which admission refuses an object, for what could be
// applied before it.
func (d *Doctor) Denied(ctx context.Context, c Case, message string) (*Denial, error) {
	x := newExam(d, c)
	set, err := x.set(ctx, c.Kustomization)
	if err != nil {
		return nil, err
	}
	denial := &Denial{Kustomization: refOf(c.Kustomization), Message: message}
	refused, _, _ := strings.Cut(message, " dry-run failed")
	for _, o := range set.Objects {
		here := locate(o)
		if o.LeftAlone() || o.Encrypted || here.Ref().String() == refused {
			continue
		}
		served, err := x.isServed(ctx, o.GroupVersionKind())
		if err != nil {
			return nil, err
		}
		there, err := x.exists(ctx, o.Unstructured)
		if err != nil {
			return nil, err
		}
		if served && !there {
			denial.Siblings = append(denial.Siblings, here)
		}
	}
	return denial, nil
}
