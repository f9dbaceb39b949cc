package wedge

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/manifests"
)

// Stage is one of the stages in which kustomize-controller applies a set
// (fluxcd/pkg/ssa, manager_apply.go, ApplyAllStaged).
type Stage int

// Stages, in order. Kinds of --custom-apply-stage-kinds come between Classes
// and Rest; they are not told apart here.
const (
	Definitions Stage = iota + 1 // CustomResourceDefinitions, Namespaces, ClusterRoles
	Classes                      // every kind whose name ends in Class
	Rest
)

// StageOf is the stage in which objects of a kind are applied
// (fluxcd/pkg/ssa/utils, is.go).
func StageOf(gk schema.GroupKind) Stage {
	switch {
	case gk.Kind == "CustomResourceDefinition", gk.Kind == "Namespace" && gk.Group == "", gk.Kind == "ClusterRole":
		return Definitions
	case strings.HasSuffix(gk.Kind, "Class"):
		return Classes
	}
	return Rest
}

// Residue is what the failing attempts leave applied: the stages before the
// one that fails. Everything else of the set was never applied.
type Residue struct {
	// Fails is the stage of the missing kind.
	Fails Stage
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
	r := Residue{Fails: Rest}
	for _, o := range absent {
		r.Fails = min(r.Fails, StageOf(o.GroupVersionKind().GroupKind()))
	}
	for _, o := range set.Objects {
		switch {
		case leftAlone(o):
		case StageOf(o.GroupVersionKind().GroupKind()) >= r.Fails:
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
