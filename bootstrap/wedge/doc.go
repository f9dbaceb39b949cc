// Package wedge finds out why a Kustomization fails on a kind that the API
// server does not serve, and what would make the kind appear.
//
// kustomize-controller dry-runs every object of a stage before it applies any
// (fluxcd/pkg/ssa, manager_apply.go, ApplyAllStaged). An object whose kind is
// absent therefore keeps out the very object of its set whose controller would
// bring the kind: a wedge, which no retry ever leaves. A [Doctor] looks at what
// the controller would apply, names every kind that is absent, finds the object
// that would bring it, and says why that object never comes by itself. It
// changes nothing: a [Diagnosis] is a finding and the list of objects that
// would have to be applied early.
package wedge
