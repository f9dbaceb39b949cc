package rehearsal

import (
	"slices"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
	"github.com/standup-sh/standup/tiers"
)

// how says in what way an object makes something exist.
type how int

const (
	byApply    how = iota // a CRD, a Namespace: as soon as it is applied
	byInstall             // what a chart has in it
	byOperator            // what an operator registers, some time after it runs
)

// bringer is an object of a set that makes kinds exist.
type bringer struct {
	node   *node
	object manifests.Object
	how    how
	brings catalog.Brings
	kind   catalog.Kind // of a CRD
	// unknown: a chart or operator that the catalogue does not know.
	unknown bool
}

// of says whether the kind comes with the object.
func (b *bringer) of(gk catalog.GroupKind) catalog.Answer {
	if b.kind.Kind != "" {
		if b.kind.GroupKind() == gk {
			return catalog.Yes
		}
		return catalog.No
	}
	if b.unknown {
		return catalog.No
	}
	return b.brings.Of(gk)
}

// bringers finds every object that makes kinds exist, in the order of the walk.
func (w *walk) bringers() []*bringer {
	var found []*bringer
	for _, n := range w.order {
		for _, o := range n.objects() {
			if leftAlone(o) {
				continue
			}
			if b := w.bringer(n, o); b != nil {
				found = append(found, b)
			}
		}
	}
	return found
}

func (w *walk) bringer(n *node, o manifests.Object) *bringer {
	if kind, ok := defines(o); ok {
		return &bringer{node: n, object: o, how: byApply, kind: kind}
	}
	if isRelease(o) {
		if flagAt(o.Unstructured, "spec", "suspend") {
			return nil
		}
		b, known := w.opts.Catalog.Installed(w.releaseOf(o))
		return &bringer{node: n, object: o, how: howOf(b.Entry), brings: b, unknown: !known}
	}
	if kindOf(o).Group == "apps" {
		b, known := w.operates(o)
		return &bringer{node: n, object: o, how: byOperator, brings: b, unknown: !known}
	}
	if b, ok := w.opts.Catalog.Provided(kindOf(o), o.Object); ok {
		return &bringer{node: n, object: o, how: byOperator, brings: b}
	}
	return nil
}

func howOf(e catalog.Entry) how {
	if e.Created == catalog.ByOperator {
		return byOperator
	}
	return byInstall
}

// operates finds the entry of an operator that registers kinds by itself, when
// it is installed by its manifests and not by its chart.
func (w *walk) operates(o manifests.Object) (catalog.Brings, bool) {
	for _, e := range w.opts.Catalog.Entries() {
		if e.Provider != nil || e.Created != catalog.ByOperator || e.Operator == nil || e.Operator.Kind != o.GetKind() || e.Operator.Name != o.GetName() {
			continue
		}
		return catalog.Brings{Entry: e, Shares: []catalog.Share{{Kinds: e.Kinds(), Groups: e.AllGroups(), Come: catalog.Yes}}}, true
	}
	return catalog.Brings{}, false
}

// releaseOf reads what a HelmRelease says of its chart
// (helm-controller/api/v2, HelmReleaseSpec).
func (w *walk) releaseOf(o manifests.Object) catalog.Release {
	u := o.Unstructured
	r := catalog.Release{
		Values: mapAt(u, "spec", "values"), Partial: len(listAt(u, "spec", "valuesFrom")) > 0,
		SkipCRDs: text(u, "spec", "install", "crds") == "Skip",
	}
	ref, _ := w.chartSource(o)
	source, found := w.sources[ref]
	if chart := text(u, "spec", "chart", "spec", "chart"); chart != "" {
		r.Chart = chart
		if found {
			r.Repository = text(source.Unstructured, "spec", "url")
		}
		return r
	}
	r.Chart = ref.Name // better than nothing: repositories are named after their charts
	if !found {
		return r
	}
	if url := text(source.Unstructured, "spec", "url"); ref.Kind == tiers.KindOCIRepository && url != "" {
		r.Chart = strings.TrimPrefix(url, "oci://")
	} else if chart := text(source.Unstructured, "spec", "chart"); chart != "" {
		r.Chart = chart
	}
	return r
}

// chartSource is the source object that a HelmRelease names.
func (w *walk) chartSource(o manifests.Object) (tiers.Ref, bool) {
	ref := mapAt(o.Unstructured, "spec", "chartRef")
	if len(ref) == 0 {
		ref = mapAt(o.Unstructured, "spec", "chart", "spec", "sourceRef")
	}
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	namespace, _ := ref["namespace"].(string)
	if namespace == "" {
		namespace = o.GetNamespace()
	}
	return tiers.Ref{Kind: kind, Namespace: namespace, Name: name}, kind != "" && name != ""
}

// resembles reports whether a bringer that nobody knows has a name in common
// with a group: then the kind may be its own.
func (b *bringer) resembles(gk catalog.GroupKind, w *walk) bool {
	words := wordsOf(b.object.GetName())
	if isRelease(b.object) {
		words = append(words, wordsOf(w.releaseOf(b.object).Chart)...)
	}
	return shareWord(wordsOf(gk.Group), words)
}

// wordsOf splits a name at its punctuation, without what is in every other name.
func wordsOf(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("./-_", r) })
	return slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 3 || slices.Contains([]string{"k8s", "com", "org", "net", "dev", "operator", "controller", "chart", "crds", "sigs", "api", "apps", "kubernetes", "example"}, w)
	})
}

func shareWord(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// isOperator recognises the workload of an operator: charts put the name of the
// release in front or behind, or only the image has the name.
func isOperator(o manifests.Object, name string) bool {
	if strings.Contains(o.GetName(), name) {
		return true
	}
	for _, c := range listAt(o.Unstructured, "spec", "template", "spec", "containers") {
		image, _ := c["image"].(string)
		image = image[strings.LastIndex(image, "/")+1:]
		if end := strings.IndexAny(image, ":@"); end >= 0 {
			image = image[:end]
		}
		if image == name {
			return true
		}
	}
	return false
}
