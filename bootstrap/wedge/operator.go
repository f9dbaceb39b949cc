package wedge

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// isOperator recognises an operator's workload. Installations differ in
// namespace, and charts put the name of the release in front or behind, so the
// name may be longer, or only the image may have it.
func isOperator(o *unstructured.Unstructured, name string) bool {
	if strings.Contains(o.GetName(), name) {
		return true
	}
	containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers") // none: not recognised
	for _, c := range containers {
		container, _ := c.(map[string]any)
		image, _ := container["image"].(string)
		image = image[strings.LastIndex(image, "/")+1:]
		if end := strings.IndexAny(image, ":@"); end >= 0 {
			image = image[:end] // without tag and digest
		}
		if image == name {
			return true
		}
	}
	return false
}

// installs reports whether a HelmRelease of the set installs the operator.
func (x *exam) installs(ctx context.Context, o manifests.Object, set *manifests.Set, operator catalog.Operator) bool {
	if !isHelmRelease(o.GroupVersionKind()) {
		return false
	}
	if b, known := x.of(ctx, o, set); known {
		return b.Entry.Operator != nil && b.Entry.Operator.Name == operator.Name
	}
	return shareWord(wordsOf(operator.Name), wordsOf(x.releaseOf(ctx, o.Unstructured, set).Chart))
}
