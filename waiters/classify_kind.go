package waiters

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// The classic text, with a version or, from a status poller, a group.
	reNoKind = regexp.MustCompile(`no matches for kind "([^"]+)" in (?:version "([^"]+)"|group "([^"]*)")`)
	// controller-runtime 0.23 and later, with aggregated discovery: the group
	// version is not served at all.
	reNoGroup       = regexp.MustCompile(`no matches for (\S+?), Resource=|complete list of server APIs: (\S+?): the server could not find the requested resource`)
	reHealthNoKind  = regexp.MustCompile(`(?:timeout waiting for|stalled resources): \[.*no matches for kind "`)
	reNamespaceGone = regexp.MustCompile(`namespaces "([^"]+)" not found`)
	// Not a question of permission, although the API server says Forbidden.
	reTerminating = regexp.MustCompile(`unable to create new content in namespace (\S+) because it is being terminated`)
	reNoNamespace = regexp.MustCompile(`^(?:ConfigMap|Secret|Service|ServiceAccount|Deployment|StatefulSet|DaemonSet|Job|CronJob|Pod|PersistentVolumeClaim|Ingress|NetworkPolicy|Role|RoleBinding|ResourceQuota|LimitRange|PodDisruptionBudget|HorizontalPodAutoscaler|Kustomization|HelmRelease|GitRepository|OCIRepository|HelmRepository|Bucket)/[^/\s]+ namespace not specified`)
)

func kindRules() []rule {
	return []rule{
		{kind: MissingKind, match: reNoKind, name: missingKind},
		{kind: MissingKind, says: []string{"no matches for ", "server APIs: "}, match: reNoGroup, name: missingKind},
		{kind: MissingNamespace, match: reNamespaceGone, subject: "Namespace $1"},
		{kind: MissingNamespace, class: Passing, match: reTerminating, subject: "Namespace $1"},
		// The same text for an absent kind and for a namespaced object without a
		// namespace; which kinds have one is only known of the built-in ones.
		{kind: InvalidObject, says: []string{"namespace not specified"}, match: reNoNamespace, name: applied},
		// A mapping that the controller still has of a kind that is gone.
		{kind: MissingKind, says: []string{"could not find the requested resource"}, name: missingKind},
	}
}

// MissingGVK returns the kind that a message of a MissingKind cause says is
// not served. What the message does not tell is empty: the version in a status
// poller's text, the kind where no object is named.
func MissingGVK(message string) schema.GroupVersionKind {
	message = withoutChangeLog(message)
	kind, _, _ := strings.Cut(applied(message), "/")
	if m := reNoKind.FindStringSubmatch(message); m != nil {
		if m[2] == "" {
			return schema.GroupVersionKind{Group: m[3], Kind: m[1]}
		}
		return schema.FromAPIVersionAndKind(m[2], m[1])
	}
	if m := reNoGroup.FindStringSubmatch(message); m != nil {
		return schema.FromAPIVersionAndKind(m[1]+m[2], kind)
	}
	return schema.GroupVersionKind{Kind: kind}
}

// missingKind names the kind as kubectl does: StorageProfile.cdi.kubevirt.io.
func missingKind(message string) string {
	gvk := MissingGVK(message)
	if gvk.Kind == "" {
		return gvk.GroupVersion().String()
	}
	return gvk.GroupKind().String()
}
