package wedge

import (
	"context"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// installs reports whether a HelmRelease of the set installs the operator.
func (x *exam) installs(ctx context.Context, o manifests.Object, set *manifests.Set, operator catalog.Operator) bool {
	if !o.IsHelmRelease() {
		return false
	}
	if b, known := x.of(ctx, o, set); known {
		return b.Entry.Operator != nil && b.Entry.Operator.Name == operator.Name
	}
	return catalog.Related(operator.Name, x.releaseOf(ctx, o, set).Chart)
}
