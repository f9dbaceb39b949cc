package catalog

import (
	"slices"
	"strings"
	"testing"
)

const base = `-- cdi.yaml --
name: cdi
provider: {group: cdi.example.io, kind: CDI}
created: operator
operator: {kind: Deployment, namespace: cdi, name: cdi-operator}
provides: [cdi.example.io/Profile]
groups: [upload.example.io]
-- charts.yaml --
name: charts
chart: {names: [one, two]}
created: chart
provides: [example.io/Widget]
-- of-a-repository.yaml --
name: of-a-repository
chart: {names: [one], repositories: [charts.example.org]}
created: chart
provides: [example.org/Gear]
`

// entriesOf are a person's own.
func entriesOf(t *testing.T, text string) []Entry {
	t.Helper()
	return catalogOf(t, text).Entries()
}

func TestWithReplaces(t *testing.T) {
	for name, tt := range map[string]struct {
		own  string
		want []string
	}{
		"nothing":        {"", []string{"cdi", "charts", "of-a-repository"}},
		"a new one":      {"-- new.yaml --\nname: new\nchart: {names: [new]}\ncreated: chart\n", []string{"cdi", "charts", "new", "of-a-repository"}},
		"the same name":  {"-- charts.yaml --\nname: charts\nchart: {names: [three]}\ncreated: chart\n", []string{"cdi", "charts", "of-a-repository"}},
		"the same chart": {"-- mine.yaml --\nname: mine\nchart: {names: [one, two]}\ncreated: chart\n", []string{"cdi", "mine", "of-a-repository"}},
		"one of the charts": {
			"-- mine.yaml --\nname: mine\nchart: {names: [one]}\ncreated: chart\n",
			[]string{"cdi", "charts", "mine", "of-a-repository"},
		},
		"the chart of a repository": {
			"-- mine.yaml --\nname: mine\nchart: {names: [one], repositories: [charts.example.org]}\ncreated: chart\n",
			[]string{"cdi", "charts", "mine"},
		},
		"the same provider": {
			"-- mine.yaml --\nname: mine\nprovider: {group: cdi.example.io, kind: CDI}\ncreated: operator\noperator: {kind: Deployment, namespace: a, name: a}\ngroups: [cdi.example.io]\n",
			[]string{"charts", "mine", "of-a-repository"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := catalogOf(t, base).With(entriesOf(t, tt.own)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(c.Entries()); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWithLeavesWhatIsNotClaimed(t *testing.T) {
	before := catalogOf(t, base)
	c, err := before.With(entriesOf(t, "-- mine.yaml --\nname: mine\nchart: {names: [one]}\ncreated: chart\n")...)
	if err != nil {
		t.Fatal(err)
	}
	for chart, want := range map[string]string{"one": "mine", "two": "charts"} {
		if e, _ := c.ByChart(chart); e.Name != want {
			t.Errorf("chart %s is of %q, want %q", chart, e.Name, want)
		}
	}
	if e, _ := before.ByChart("one"); e.Name != "charts" {
		t.Errorf("the catalogue that was added to has changed: chart one is of %q", e.Name)
	}
}

func TestWithRefusesTwoOfItsOwn(t *testing.T) {
	own := Entry{Name: "a", Chart: &Chart{Names: []string{"x"}}, Created: ByChart}
	other := own
	other.Name = "b"
	if _, err := catalogOf(t, base).With(own, other); err == nil || !strings.Contains(err.Error(), "both claim chart") {
		t.Errorf("got %v", err)
	}
}

func TestExtraAdds(t *testing.T) {
	more, err := Extra("cdi.example.io", "CDI", []string{"cdi.example.io/Import", "cdi.example.io/Profile", "more.example.io"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogOf(t, base).With(more)
	if err != nil {
		t.Fatal(err)
	}
	b, ok := c.Provided(gk("cdi.example.io/CDI"), nil)
	if !ok || b.Entry.Name != "cdi" || b.Entry.Operator.Name != "cdi-operator" || len(b.Entry.Provides) != 2 {
		t.Fatalf("got %+v, %v, want the entry that was there, with more", b.Entry, ok)
	}
	for _, kind := range []string{"cdi.example.io/Profile", "cdi.example.io/Import", "upload.example.io/Anything", "more.example.io/Anything"} {
		if b.Of(gk(kind)) != Yes {
			t.Errorf("%s does not come", kind)
		}
	}
	if before, _ := catalogOf(t, base).ByProvider(gk("cdi.example.io/CDI")); len(before.Provides) != 1 {
		t.Error("the entry that was added to has changed")
	}
}

func TestExtraOfANewProvider(t *testing.T) {
	engine, err := Extra("example.io", "Engine", []string{"example.io/Widget", "parts.example.io"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Extra("example.io", "Engine", []string{"example.io/Gear"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogOf(t, base).With(engine, again)
	if err != nil {
		t.Fatal(err)
	}
	b, ok := c.Provided(gk("example.io/Engine"), nil)
	if !ok || b.Entry.Operator != nil || b.Entry.Created != ByOperator {
		t.Fatalf("got %+v, %v", b.Entry, ok)
	}
	for kind, want := range map[string]Answer{"example.io/Widget": Yes, "example.io/Gear": Yes, "parts.example.io/Bolt": Yes, "example.io/Bolt": No} {
		if got := b.Of(gk(kind)); got != want {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}
}

// TestExtraBesideAPersonsOwnEntry: both may speak of one provider.
func TestExtraBesideAPersonsOwnEntry(t *testing.T) {
	own := entriesOf(t, "-- mine.yaml --\nname: mine\nprovider: {group: cdi.example.io, kind: CDI}\ncreated: operator\noperator: {kind: Deployment, namespace: a, name: a}\nprovides: [cdi.example.io/Mine]\n")
	more, err := Extra("cdi.example.io", "CDI", []string{"cdi.example.io/Import"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogOf(t, base).With(append(own, more)...)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := c.Provided(gk("cdi.example.io/CDI"), nil)
	for kind, want := range map[string]Answer{"cdi.example.io/Mine": Yes, "cdi.example.io/Import": Yes, "cdi.example.io/Profile": No} {
		if got := b.Of(gk(kind)); got != want {
			t.Errorf("%s: got %v, want %v", kind, got, want)
		}
	}
}

func TestExtraThatIsWrong(t *testing.T) {
	for name, tt := range map[string]struct {
		group, kind string
		provides    []string
		want        string
	}{
		"no kinds":    {"example.io", "Engine", nil, "provides is empty"},
		"no group":    {"", "Engine", []string{"example.io/Widget"}, `group "" is not a group`},
		"no kind":     {"example.io", "", []string{"example.io/Widget"}, `kind "" is not a kind`},
		"half a kind": {"example.io", "Engine", []string{"example.io/"}, `provides is "example.io/"; write it like example.io/Widget`},
		"not a group": {"example.io", "Engine", []string{"Widget"}, `groups[0] is "Widget"`},
		"twice":       {"example.io", "Engine", []string{"example.io/Widget", "example.io/Widget"}, "brings Widget.example.io twice"},
	} {
		if _, err := Extra(tt.group, tt.kind, tt.provides); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}
