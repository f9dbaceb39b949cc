package manifests

// HoldKustomize keeps builds of this package away while a test uses kustomize by
// itself, until the returned function is called.
func HoldKustomize() func() {
	kustomizing.Lock()
	return kustomizing.Unlock
}
