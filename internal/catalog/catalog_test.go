package catalog

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func load(t *testing.T) *Catalog {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBuiltInEntriesAreValid(t *testing.T) {
	c := load(t)
	if len(c.Entries()) < 15 {
		t.Errorf("got %d entries, want at least 15", len(c.Entries()))
	}
	names := func(e Entry) string { return e.Name }
	var got []string
	for _, e := range c.Entries() {
		got = append(got, names(e))
	}
	if !slices.IsSorted(got) {
		t.Errorf("entries are not in the order of their names: %v", got)
	}
}

func TestProvidersOfTheSameKindAgreeOnIt(t *testing.T) {
	for gk, where := range load(t).byKind {
		c := load(t)
		var first Kind
		for i, j := range where {
			for _, k := range c.entries[j].Provides {
				if k.GroupKind() != gk {
					continue
				}
				if i == 0 {
					first = k
				}
				if k.Plural != first.Plural || k.Scope != first.Scope {
					t.Errorf("%s: %s and %s disagree on its plural or scope", gk, c.entries[where[0]].Name, c.entries[j].Name)
				}
			}
		}
	}
}

func TestByProvider(t *testing.T) {
	e, ok := load(t).ByProvider(GroupKind{"cdi.kubevirt.io", "CDI"})
	if !ok || e.Name != "cdi" || e.Operator.Name != "cdi-operator" {
		t.Fatalf("got %v, %v, want the entry cdi", e.Name, ok)
	}
	if _, ok := load(t).ByProvider(GroupKind{"cdi.kubevirt.io", "StorageProfile"}); ok {
		t.Error("a StorageProfile brings nothing, but is found as a provider")
	}
}

func TestByChart(t *testing.T) {
	for _, name := range []string{"cert-manager", "oci://quay.io/jetstack/charts/cert-manager"} {
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

func TestProviding(t *testing.T) {
	var got []string
	for _, e := range load(t).Providing(GroupKind{"monitoring.coreos.com", "ServiceMonitor"}) {
		got = append(got, e.Name)
	}
	if want := []string{"kube-prometheus-stack", "prometheus-operator-crds"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	k, ok := load(t).Kind(GroupKind{"cdi.kubevirt.io", "StorageProfile"})
	if !ok || k.CRDName() != "storageprofiles.cdi.kubevirt.io" || k.Scope != Cluster || len(k.Conditions) != 0 {
		t.Errorf("got %+v, %v", k, ok)
	}
}

const good = `name: a
source: https://example.org/a
provider: {group: example.org, kind: A, plural: as, versions: [v1], scope: Cluster}
created: operator
operator: {kind: Deployment, namespace: a, name: a-operator}
provides: [{group: example.org, kind: B, plural: bs, versions: [v1], scope: Cluster}]
`

func TestEntriesThatAreWrong(t *testing.T) {
	for name, tt := range map[string]struct{ from, to, want string }{
		"unknown field":      {"created:", "creatd:", "field creatd not found"},
		"no source":          {"https://example.org/a", "a wiki", "is not an https address"},
		"other name":         {"name: a\n", "name: b\n", "want that of the file"},
		"no operator":        {"operator: {kind: Deployment, namespace: a, name: a-operator}\n", "", "operator is missing"},
		"operator no kind":   {"kind: Deployment", "kind: Pod", "want a workload"},
		"made by chart":      {"created: operator", "created: chart", "come from its operator"},
		"made by nobody":     {"created: operator", "created: magic", `created is "magic"`},
		"plural":             {"plural: bs", "plural: Bs", "not in lower case"},
		"scope":              {"scope: Cluster}]", "scope: cluster}]", `scope is "cluster"`},
		"versions":           {"versions: [v1], scope: Cluster}]", "versions: [], scope: Cluster}]", "versions is empty"},
		"chart and provider": {"created:", "chart: {names: [a]}\ncreated:", "either provider or chart"},
		"two documents":      {"created:", "---\ncreated:", ""},
		"brings nothing":     {"provides: [{group: example.org, kind: B, plural: bs, versions: [v1], scope: Cluster}]", "provides: []", "brings nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(good, tt.from, tt.to, 1)
			if text == good {
				t.Fatal("the case changes nothing")
			}
			_, err := LoadFS(fstest.MapFS{"a.yaml": {Data: []byte(text)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := LoadFS(fstest.MapFS{"a.yaml": {Data: []byte(good)}}); err != nil {
		t.Errorf("the good entry: %v", err)
	}
}

func TestTwoEntriesMayNotClaimTheSame(t *testing.T) {
	second := strings.Replace(good, "name: a\n", "name: b\n", 1)
	_, err := LoadFS(fstest.MapFS{"a.yaml": {Data: []byte(good)}, "b.yaml": {Data: []byte(second)}})
	if err == nil || !strings.Contains(err.Error(), `both claim provider A.example.org`) {
		t.Errorf("got %v", err)
	}
	chart := "name: %\nsource: https://example.org\nchart: {names: [x]}\ncreated: chart\nprovides: []\n"
	_, err = LoadFS(fstest.MapFS{
		"c.yaml": {Data: []byte(strings.ReplaceAll(chart, "%", "c"))},
		"d.yaml": {Data: []byte(strings.ReplaceAll(chart, "%", "d"))},
	})
	if err == nil || !strings.Contains(err.Error(), `both claim chart "x"`) {
		t.Errorf("got %v", err)
	}
}
