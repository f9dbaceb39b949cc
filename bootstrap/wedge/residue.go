package wedge

import (
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/manifests"
)

// Residue is what the failing attempts leave applied: the stages before the
// one that fails. Everything else of the set was never applied.
type Residue struct {
	// Fails is the stage of the missing kind.
	Fails manifests.Stage
	// Applied counts the objects of earlier stages by kind, Withheld all others.
	Applied  []Count
	Withheld int
}

// Count is a kind and how many objects of it there are.
type Count struct {
	Kind string
	N    int
}

// residueOf tells from the set what its attempts have applied.
func residueOf(set *manifests.Set, absent []manifests.Object) Residue {
	r := Residue{Fails: manifests.Rest}
	for _, o := range absent {
		r.Fails = min(r.Fails, o.Stage())
	}
	for _, o := range set.Objects {
		switch {
		case o.LeftAlone():
		case o.Stage() >= r.Fails:
			r.Withheld++
		default:
			r.count(o.GetKind())
		}
	}
	slices.SortFunc(r.Applied, func(a, b Count) int { return strings.Compare(a.Kind, b.Kind) })
	return r
}

func (r *Residue) count(kind string) {
	for i := range r.Applied {
		if r.Applied[i].Kind == kind {
			r.Applied[i].N++
			return
		}
	}
	r.Applied = append(r.Applied, Count{Kind: kind, N: 1})
}
