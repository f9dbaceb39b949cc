package catalog

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// builtIn is loaded once: it has hundreds of files.
var builtIn = sync.OnceValues(Load)

func load(t *testing.T) *Catalog {
	t.Helper()
	c, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func gk(text string) GroupKind {
	group, kind, _ := strings.Cut(text, "/")
	return GroupKind{group, kind}
}

func names(entries []Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Name)
	}
	return out
}

func TestEntriesAreInOrder(t *testing.T) {
	if got := names(load(t).Entries()); !slices.IsSorted(got) {
		t.Errorf("entries are not in the order of their names: %v", got)
	}
}

func TestByProvider(t *testing.T) {
	e, ok := load(t).ByProvider(gk("cdi.kubevirt.io/CDI"))
	if !ok || e.Name != "cdi" || e.Operator.Name != "cdi-operator" {
		t.Fatalf("got %v, %v, want the entry cdi", e.Name, ok)
	}
	if _, ok := load(t).ByProvider(gk("cdi.kubevirt.io/StorageProfile")); ok {
		t.Error("a StorageProfile brings nothing, but is found as a provider")
	}
}

func TestByChart(t *testing.T) {
	for _, name := range []string{"cert-manager", "oci://quay.io/jetstack/charts/cert-manager", "./charts/cert-manager"} {
		if e, ok := load(t).ByChart(name); !ok || e.Name != "cert-manager" {
			t.Errorf("ByChart(%q) = %q, %v", name, e.Name, ok)
		}
	}
	if e, ok := load(t).ByChart("headlamp"); !ok || len(e.Provides) != 0 {
		t.Errorf("headlamp is known to bring nothing, got %v, %v", e.Provides, ok)
	}
	if _, ok := load(t).ByChart("no-such-chart"); ok {
		t.Error("an unknown chart is found")
	}
}

// repositories has one chart name that any repository may have, and that two of
// them have as charts of their own.
const repositories = `-- any.yaml --
name: any
chart: {names: [operator]}
created: chart
-- minio.yaml --
name: minio
chart: {names: [operator, minio-operator], repositories: [operator.min.io, quay.io/minio]}
created: chart
-- other.yaml --
name: other
chart: {names: [operator], repositories: [charts.example.org/stable]}
created: chart
-- shared.yaml --
name: shared
chart: {names: [base], repositories: [charts.example.org/stable]}
created: chart
`

func TestByChartFrom(t *testing.T) {
	c := catalogOf(t, repositories)
	for _, tt := range []struct{ repository, chart, want string }{
		{"", "operator", "any"},
		{"https://elsewhere.example.org", "operator", "any"},
		{"https://operator.min.io", "operator", "minio"},
		{"https://operator.min.io/", "operator", "minio"},
		{"https://operator.min.io.example.org", "operator", "any"},
		{"https://charts.example.org/stable", "operator", "other"},
		{"https://charts.example.org/stable-2", "operator", "any"},
		{"https://charts.example.org/", "operator", "any"},
		{"", "oci://quay.io/minio/operator", "minio"},
		{"oci://quay.io/minio", "operator", "minio"},
		{"", "oci://mirror.lan:5000/quay.io/minio/charts/operator", "minio"},
		{"", "minio-operator", ""},
		{"https://operator.min.io", "minio-operator", "minio"},
		{"", "base", ""},
		{"https://charts.example.org/stable", "base", "shared"},
	} {
		e, ok := c.ByChartFrom(tt.repository, tt.chart)
		if e.Name != tt.want || ok != (tt.want != "") {
			t.Errorf("ByChartFrom(%q, %q) = %q, %v, want %q", tt.repository, tt.chart, e.Name, ok, tt.want)
		}
	}
}

func TestProviding(t *testing.T) {
	c := catalogOf(t, `-- chart.yaml --
name: chart
chart: {names: [chart]}
created: chart
provides: [example.io/Widget]
groups: ["*.example.io"]
maybe: [old.example.org]
-- engine.yaml --
name: engine
provider: {group: example.io, kind: Engine}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
groups: [example.io]
-- part.yaml --
name: part
chart: {names: [part]}
created: chart
parts:
  - when: {any: {a: true}}
    provides: [example.io/Gear]
`)
	for _, tt := range []struct {
		kind string
		want []string
	}{
		{"example.io/Widget", []string{"chart", "engine"}},
		{"example.io/Gear", []string{"engine", "part"}},
		{"sub.example.io/Anything", []string{"chart"}},
		{"example.io/Engine", nil}, // a provider does not bring itself
		{"old.example.org/Widget", []string{"chart"}},
		{"example.org/Widget", nil},
	} {
		if got := names(c.Providing(gk(tt.kind))); !slices.Equal(got, tt.want) {
			t.Errorf("Providing(%s) = %v, want %v", tt.kind, got, tt.want)
		}
	}
}

func TestProvidingOfTheBuiltInEntries(t *testing.T) {
	got := names(load(t).Providing(gk("monitoring.coreos.com/ServiceMonitor")))
	for _, want := range []string{"kube-prometheus-stack", "prometheus-operator-crds"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s does not bring ServiceMonitor; got %v", want, got)
		}
	}
	k, ok := load(t).Kind(gk("cdi.kubevirt.io/StorageProfile"))
	if !ok || k.CRDName() != "storageprofiles.cdi.kubevirt.io" || k.Scope != Cluster || len(k.Conditions) != 0 {
		t.Errorf("got %+v, %v", k, ok)
	}
}

func TestKindKnowsTheMost(t *testing.T) {
	c := catalogOf(t, `-- a.yaml --
name: a
chart: {names: [a]}
created: chart
provides: [example.io/Widget]
-- b.yaml --
name: b
chart: {names: [b]}
created: chart
parts:
  - when: {any: {a: true}}
    provides: [{group: example.io, kind: Widget, plural: widgets, versions: [v1], scope: Cluster}]
`)
	if k, ok := c.Kind(gk("example.io/Widget")); !ok || k.Short() || k.Plural != "widgets" {
		t.Errorf("got %+v, %v, want the one that is written out", k, ok)
	}
	if _, ok := c.Kind(gk("example.io/Gear")); ok {
		t.Error("a kind that nothing lists is known")
	}
}

func TestTwoEntriesMayNotClaimTheSame(t *testing.T) {
	for name, tt := range map[string]struct{ files, want string }{
		"provider": {`-- a.yaml --
name: a
provider: {group: example.org, kind: A}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
groups: [a.example.org]
-- b.yaml --
name: b
provider: {group: example.org, kind: A}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
groups: [a.example.org]
`, `entries "a" and "b" both claim provider A.example.org`},
		"chart": {`-- c.yaml --
name: c
chart: {names: [x]}
created: chart
-- d.yaml --
name: d
chart: {names: [y, x]}
created: chart
`, `entries "c" and "d" both claim chart "x"`},
		"chart of one repository": {`-- c.yaml --
name: c
chart: {names: [x], repositories: [example.org]}
created: chart
-- d.yaml --
name: d
chart: {names: [x], repositories: [example.com, example.org/charts]}
created: chart
`, `entries "c" and "d" both claim chart "x"`},
	} {
		_, err := LoadFS(filesOf(t, tt.files))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if _, err := New([]Entry{{Name: "a", Chart: &Chart{Names: []string{"a"}}, Created: ByChart}, {Name: "a", Chart: &Chart{Names: []string{"b"}}, Created: ByChart}}); err == nil ||
		!strings.Contains(err.Error(), `entry "a" is there twice`) {
		t.Errorf("two of one name: got %v", err)
	}
}

// filesOf splits "-- name --" headed parts into files.
func filesOf(t *testing.T, text string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for part := range strings.SplitSeq("\n"+text, "\n-- ") {
		name, content, found := strings.Cut(part, " --\n")
		if found {
			files[name] = &fstest.MapFile{Data: []byte(content + "\n")}
		}
	}
	return files
}

func catalogOf(t *testing.T, text string) *Catalog {
	t.Helper()
	c, err := LoadFS(filesOf(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Two charts bring ClusterIssuer; the one that comes first by name says nothing
// of its conditions.
func TestAKindIsWhatTheEntryThatKnowsMostSays(t *testing.T) {
	t.Parallel()
	kind := Kind{Group: "acme.io", Kind: "Widget", Plural: "widgets", Versions: []string{"v1"}, Scope: Cluster}
	knowing := kind
	knowing.Conditions = map[string]string{"Ready": "True"}
	entry := func(name string, k Kind) Entry {
		return Entry{Name: name, Source: "https://acme.io", Chart: &Chart{Names: []string{name}}, Created: ByChart, Provides: []Kind{k}}
	}
	c, err := New([]Entry{entry("a", kind), entry("b", knowing)})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := c.Kind(kind.GroupKind()); !ok || len(got.Conditions) != 1 {
		t.Errorf("got %+v", got)
	}
}
