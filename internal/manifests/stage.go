package manifests

import ssautils "github.com/fluxcd/pkg/ssa/utils"

// Stage is one of the stages in which kustomize-controller applies a set
// (fluxcd/pkg/ssa, manager_apply.go, ApplyAllStaged, since kustomize-controller
// 1.7; before that a ClusterRole was in the last).
type Stage int

// Stages, in order. Kinds of --custom-apply-stage-kinds come between Classes
// and Rest; they are not told apart here.
const (
	Definitions Stage = iota + 1 // CustomResourceDefinitions, Namespaces, ClusterRoles
	Classes                      // every kind whose name ends in Class
	Rest
)

// Stage is the one in which the object is applied.
func (o Object) Stage() Stage {
	switch {
	case ssautils.IsClusterDefinition(o.Unstructured):
		return Definitions
	case ssautils.IsClassDefinition(o.Unstructured):
		return Classes
	}
	return Rest
}
