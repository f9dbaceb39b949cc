package wedge

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// of reads from the catalogue what an object of a set makes the API server
// serve.
func (x *exam) of(ctx context.Context, o manifests.Object, set *manifests.Set) (catalog.Brings, bool) {
	gk := o.GroupVersionKind().GroupKind()
	if o.IsHelmRelease() {
		return x.doctor.Catalog.Installed(x.releaseOf(ctx, o, set))
	}
	if gk.Group == "apps" {
		return x.doctor.Catalog.Operated(o.GetKind(), o.GetName())
	}
	return x.doctor.Catalog.Provided(catalog.GroupKind(gk), o.Object)
}

// brings reports whether an object of a set makes the API server serve a kind,
// as far as anybody can tell.
func (x *exam) brings(ctx context.Context, o manifests.Object, set *manifests.Set, gk schema.GroupKind) bool {
	b, known := x.of(ctx, o, set)
	if !known {
		return false
	}
	share, listed := b.Share(catalog.GroupKind(gk))
	return listed && share.Come != catalog.No
}

// chartKnown reports whether the catalogue knows the chart of a HelmRelease:
// then it brings what the catalogue says, and no more.
func (x *exam) chartKnown(ctx context.Context, o manifests.Object, set *manifests.Set) bool {
	b, known := x.of(ctx, o, set)
	return known && !b.Unknown
}

// hint is what can be said of a kind that nothing brings.
func (x *exam) hint(ctx context.Context, gvk schema.GroupVersionKind, set *manifests.Set) string {
	gk := catalog.GroupKind(gvk.GroupKind())
	for _, o := range set.Objects {
		b, known := x.of(ctx, o, set)
		if !known {
			continue
		}
		share, listed := b.Share(gk)
		if why := idle(o); why != "" && listed && share.Come != catalog.No {
			return fmt.Sprintf("%s would bring it, but %s.", locate(o).Ref(), why)
		}
		if listed && share.Come == catalog.No && share.When != nil {
			return fmt.Sprintf("%s would bring it if %s.", locate(o).Ref(), share.When)
		}
	}
	if tool, ok := x.doctor.Catalog.Tool(gk); ok {
		return fmt.Sprintf("It is a file of %s and no object of a cluster: move it out of the path, or name it in .sourceignore.", tool.Name)
	}
	var names []string
	for _, e := range x.doctor.Catalog.Providing(gk) {
		names = append(names, e.Name)
	}
	if len(names) > 0 {
		return fmt.Sprintf("It comes with %s: install that in a Kustomization that this one depends on.", strings.Join(names, " or "))
	}
	return "Nothing that standup knows brings it: install what does, or add it to the catalogue (--catalog, or secondOrder in TIER_ORDER)."
}
