package wedge

import (
	"context"
	"fmt"
	"slices"

	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// NotInSetError says that an object which was asked for by name is not in the
// set of its Kustomization.
type NotInSetError struct {
	Object, Kustomization tiers.Ref
	// Has are the objects of the same kind that are.
	Has []tiers.Ref
}

// Error names what is there instead.
func (e *NotInSetError) Error() string {
	if len(e.Has) == 0 {
		return fmt.Sprintf("%s is not in the set of %s, nor is any other %s", e.Object, e.Kustomization, e.Object.Kind)
	}
	return fmt.Sprintf("%s is not in the set of %s; it has %v", e.Object, e.Kustomization, e.Has)
}

// PreApply is a diagnosis with the named objects of the set as its seeds, in
// the given order: for faults that only a person can find the way out of, such
// as a webhook that refuses an object until another of the same set exists.
func (d *Doctor) PreApply(ctx context.Context, c Case, names []tiers.Ref) (*Diagnosis, error) {
	dx, err := d.Diagnose(ctx, c)
	if err != nil {
		return nil, err
	}
	x := newExam(d, c)
	set, err := x.set(ctx, c.Kustomization)
	if err != nil {
		return nil, err
	}
	for _, s := range dx.Seeds {
		x.seeded[s.Ref()] = true
	}
	for _, name := range names {
		i := slices.IndexFunc(set.Objects, func(o manifests.Object) bool { return locate(o).Ref() == name })
		if i < 0 {
			missing := &NotInSetError{Object: name, Kustomization: dx.Kustomization}
			for _, o := range set.Objects {
				if o.GetKind() == name.Kind {
					missing.Has = append(missing.Has, locate(o).Ref())
				}
			}
			return nil, missing
		}
		if err := x.plant(ctx, dx, planting{set: set, owner: c.Kustomization}, set.Objects[i], "it was asked for by name"); err != nil {
			return nil, err
		}
	}
	dx.Asked = true
	return dx, nil
}
