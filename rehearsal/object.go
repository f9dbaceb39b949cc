package rehearsal

import (
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// objectKey names an object in all versions.
type objectKey struct{ group, kind, namespace, name string }

func (k objectKey) String() string {
	if k.namespace == "" {
		return k.kind + "/" + k.name
	}
	return k.kind + "/" + k.namespace + "/" + k.name
}

func keyOf(o manifests.Object) objectKey {
	gk := o.GroupVersionKind().GroupKind()
	return objectKey{gk.Group, gk.Kind, o.GetNamespace(), o.GetName()}
}

func kindOf(o manifests.Object) catalog.GroupKind {
	return catalog.GroupKind(o.GroupVersionKind().GroupKind())
}

// opaque reports whether an object is encrypted as a whole: even what it is can
// only be read with the key.
func opaque(o manifests.Object) bool {
	return o.Encrypted && (strings.HasPrefix(o.GetKind(), "ENC[") || strings.HasPrefix(o.GetAPIVersion(), "ENC["))
}

// isWorkload recognises what kstatus waits for.
func isWorkload(o manifests.Object) bool {
	switch kindOf(o) {
	case catalog.GroupKind{Group: "apps", Kind: "Deployment"}, catalog.GroupKind{Group: "apps", Kind: "StatefulSet"},
		catalog.GroupKind{Group: "apps", Kind: "DaemonSet"}, catalog.GroupKind{Group: "batch", Kind: "Job"}, catalog.GroupKind{Kind: "Pod"}:
		return true
	}
	return false
}

// defines is the kind that a CustomResourceDefinition defines, with its served
// versions.
func defines(o manifests.Object) (catalog.Kind, bool) {
	d, ok := o.Defines()
	return catalog.Kind{Group: d.Group, Kind: d.Kind, Scope: catalog.Scope(d.Scope), Versions: d.Versions}, ok
}
