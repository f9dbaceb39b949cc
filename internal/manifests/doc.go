// Package manifests builds the set of objects of a Flux Kustomization from a
// directory, exactly as kustomize-controller does, and never writes into it.
//
// The steps are the controller's: find spec.path in the artifact, complete or
// generate its kustomization file from the spec, run kustomize, substitute
// spec.postBuild, normalise, set the common metadata. The libraries are the
// controller's as well; what is ours is what a program beside the controller
// needs: where in the tree an object came from, every undefined variable at
// once instead of the first, and what must not be printed.
//
// Not done: nothing is decrypted (see Object.Encrypted), and the owner labels
// that the controller adds at apply time are not set.
package manifests
