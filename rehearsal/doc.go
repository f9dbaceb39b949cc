// Package rehearsal tells from a checkout whether an empty cluster would
// converge on it, and if not, what stops it.
//
// It has three parts, in this order. The walk (walk.go) builds the set of every
// Kustomization beneath the root, as kustomize-controller would. The model
// (model*.go) takes the decisions of the controllers on a virtual clock until
// nothing changes any more; one function a decision, with the place in the
// controller's source that it stands for. The blame (blame.go) asks of all that
// is not Ready then what it waits for, and finds the causes among the waits.
//
// A cause is removed in the model and the model goes on, so that what one cause
// hides is reported as well. What an offline look cannot decide is UNKNOWN or
// RUNTIME and never guessed.
package rehearsal
