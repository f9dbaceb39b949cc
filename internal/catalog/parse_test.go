package catalog

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

const good = `name: a
source: https://example.org/a
provider: {group: example.org, kind: A, plural: as, versions: [v1], scope: Cluster}
created: operator
operator: {kind: Deployment, namespace: a, name: a-operator}
provides: [{group: example.org, kind: B, plural: bs, versions: [v1], scope: Cluster}]
`

const goodChart = `name: a
source: https://example.org/a
chart: {names: [a, b], repositories: [charts.example.org/a], crds: templates}
created: chart
when: {any: {crds.enabled: true}, none: {skip: false}}
provides:
  - {group: example.org, kind: B, plural: bs, versions: [v1], scope: Cluster, conditions: {Ready: "True"}}
  - example.org/C
groups: [example.com, "*.example.com"]
maybe: [old.example.org]
parts:
  - when: {all: {sub.enabled: true}, given: [sub], contains: {field: list, item: x, default: true}}
    crds: directory
    provides: [sub.example.org/D]
`

// change replaces one text of a good entry, and insists that it is there.
func change(t *testing.T, text, from, to string) string {
	t.Helper()
	changed := strings.Replace(text, from, to, 1)
	if changed == text {
		t.Fatal("the case changes nothing")
	}
	return changed
}

func TestParseGood(t *testing.T) {
	for name, text := range map[string]string{"provider": good, "chart": goodChart} {
		if _, err := parse("a.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	e, err := parse("a.yaml", []byte(goodChart))
	if err != nil {
		t.Fatal(err)
	}
	if e.Chart.CRDs != InTemplates || len(e.Provides) != 2 || !e.Provides[1].Short() || e.Provides[1].Kind != "C" ||
		e.Parts[0].CRDs != InDirectory || !e.Parts[0].When.Contains.Default || !e.When.Any["crds.enabled"] {
		t.Errorf("got %+v", e)
	}
}

// TestParseBad: every fault with its place. An editor can jump there, and a
// person need not guess which of forty kinds is meant.
func TestParseBad(t *testing.T) {
	for name, tt := range map[string]struct{ text, from, to, want string }{
		"unknown field":           {good, "created:", "creatd:", `a.yaml:4:1: unknown field "creatd"`},
		"unknown field within":    {good, "namespace: a", "ns: a", `a.yaml:5:30: unknown field "ns" in operator`},
		"unknown field of a kind": {good, "plural: bs", "plurals: bs", `a.yaml:6:42: unknown field "plurals" in provides[0]`},
		"field twice":             {good, "created:", "name: a\ncreated:", `a.yaml:4:1: field "name" is given twice`},
		"source":                  {good, "https://example.org/a", "a wiki", `a.yaml:2:9: source "a wiki" is not an https address`},
		"no name":                 {good, "name: a\n", "", "a.yaml:1:1: name is missing"},
		"other name":              {good, "name: a\n", "name: b\n", `a.yaml:1:7: name is "b", want that of the file`},
		"no operator":             {good, "operator: {kind: Deployment, namespace: a, name: a-operator}\n", "", "a.yaml:1:1: operator is missing"},
		"operator no kind":        {good, "kind: Deployment", "kind: Pod", `a.yaml:5:18: operator.kind is "Pod", want a workload`},
		"operator no name":        {good, ", name: a-operator", "", "a.yaml:5:11: operator lacks its namespace or name"},
		"made by chart":           {good, "created: operator", "created: chart", "a.yaml:4:10: created is \"chart\": the kinds of a provider come from its operator"},
		"made by nobody":          {good, "created: operator", "created: magic", `a.yaml:4:10: created is "magic", want "chart" or "operator"`},
		"plural":                  {good, "plural: bs", "plural: Bs", `a.yaml:6:50: provides[0]: plural "Bs" is not in lower case`},
		"scope":                   {good, "scope: Cluster}]", "scope: cluster}]", `a.yaml:6:77: provides[0]: scope is "cluster", want Namespaced or Cluster`},
		"versions":                {good, "versions: [v1], scope: Cluster}]", "versions: [], scope: Cluster}]", "a.yaml:6:64: provides[0]: versions is empty"},
		"group of a kind":         {good, "{group: example.org, kind: B", "{group: Example.org, kind: B", `a.yaml:6:20: provides[0]: group "Example.org" is not a group`},
		"kind of a kind":          {good, "kind: B", "kind: B/v1", `a.yaml:6:39: provides[0]: kind "B/v1" is not a kind`},
		"provider's group":        {good, "group: example.org, kind: A", "group: org, kind: A", `a.yaml:3:19: provider: group "org" is not a group`},
		"chart and provider":      {good, "created:", "chart: {names: [a]}\ncreated:", "a.yaml:1:1: want either provider or chart"},
		"neither":                 {good, "provider: {group: example.org, kind: A, plural: as, versions: [v1], scope: Cluster}\n", "", "a.yaml:1:1: want either provider or chart"},
		"two documents":           {good, "created:", "---\ncreated:", "a.yaml:4:1: a second YAML document begins here; an entry has a file of its own"},
		"brings nothing":          {good, "provides: [{group: example.org, kind: B, plural: bs, versions: [v1], scope: Cluster}]", "provides: []", "a.yaml:6:11: provides is empty: a provider that brings nothing is none"},
		"kind twice":              {good, "scope: Cluster}]", "scope: Cluster}, example.org/B]", "a.yaml:6:87: provides brings B.example.org twice"},
		"plural twice":            {good, "scope: Cluster}]", "scope: Cluster}, {group: example.org, kind: C, plural: bs, versions: [v1], scope: Cluster}]", "a.yaml:6:87: provides brings C.example.org twice"},
		"short kind":              {good, "provides: [{group: example.org, kind: B, plural: bs, versions: [v1], scope: Cluster}]", "provides: [B]", `a.yaml:6:12: provides[0] is "B"; write it like example.io/Widget`},
		"list for a mapping":      {good, "operator: {kind: Deployment, namespace: a, name: a-operator}", "operator: [a]", "a.yaml:5:11: operator must be a mapping"},
		"mapping for a list":      {good, "versions: [v1], scope: Cluster}]", "versions: {v1: a}, scope: Cluster}]", "a.yaml:6:64: provides[0].versions must be a list"},
		"list for a text":         {good, "name: a\n", "name: [a]\n", "a.yaml:1:7: name has no value"},
		"null for a text":         {good, "name: a\n", "name:\n", "a.yaml:1:6: name has no value"},
		"anchor":                  {good, "provider: {", "provider: &p {", "a.yaml:3:11: provider is an anchor or an alias; write it out"},
		"not YAML":                {good, "created: operator", "created: [operator", "a.yaml:3:1: this is not YAML: did not find expected"},
		"not a mapping":           {good, good, "- a\n", "a.yaml:1:1: the file must be a mapping"},
		"empty":                   {good, good, "", "a.yaml:1:1: the file is empty"},

		"condition's status":       {goodChart, `Ready: "True"`, `Ready: "yes"`, `a.yaml:7:99: condition Ready is "yes", want True or False, in quotes`},
		"no chart name":            {goodChart, "names: [a, b]", "names: []", "a.yaml:3:16: chart.names is empty, or has an empty name"},
		"repository with scheme":   {goodChart, "[charts.example.org/a]", `["https://charts.example.org"]`, `a.yaml:3:39: repository "https://charts.example.org" is not a host and path without a scheme`},
		"crds":                     {goodChart, "crds: templates", "crds: elsewhere", `a.yaml:3:68: crds is "elsewhere", want "directory" or "templates"`},
		"crds of a part":           {goodChart, "crds: directory", "crds: elsewhere", `a.yaml:13:11: crds is "elsewhere"`},
		"when is empty":            {goodChart, "when: {any: {crds.enabled: true}, none: {skip: false}}", "when: {}", "a.yaml:5:7: when has no condition"},
		"default is no bool":       {goodChart, "skip: false", `skip: "no"`, `a.yaml:5:48: when.none.skip is "no", want true or false`},
		"contains what":            {goodChart, "field: list, item: x, default: true", "field: list", "a.yaml:12:62: contains lacks its field or item"},
		"group":                    {goodChart, "[example.com, ", "[Example.com, ", `a.yaml:9:10: groups[0] is "Example.com"; write it like example.io, or *.example.io for all groups beneath it`},
		"group of everything":      {goodChart, `"*.example.com"`, `"*"`, `a.yaml:9:23: groups[1] is "*"`},
		"group twice":              {goodChart, `"*.example.com"`, "example.com", "a.yaml:9:23: example.com is there twice"},
		"part without condition":   {goodChart, "  - when: {all: {sub.enabled: true}, given: [sub], contains: {field: list, item: x, default: true}}\n    crds", "  - crds", "a.yaml:12:5: parts[0] has no when"},
		"part that brings nothing": {goodChart, "    provides: [sub.example.org/D]\n", "", "a.yaml:12:5: parts[0] brings nothing"},
		"kind twice in a part":     {goodChart, "[sub.example.org/D]", "[sub.example.org/D, sub.example.org/D]", "a.yaml:14:35: parts[0].provides brings D.sub.example.org twice"},
		"dynamic of a chart":       {goodChart, "parts:", "dynamic: [{group: example.org, kindFrom: spec.kind}]\nparts:", "a.yaml:11:10: dynamic is for providers: a chart names no kinds"},
		"dynamic without a kind":   {good, "created:", "dynamic: [{group: example.org}]\ncreated:", "a.yaml:4:11: dynamic[0] has no kindFrom"},
		"dynamic without a group":  {good, "created:", "dynamic: [{kindFrom: spec.kind}]\ncreated:", "a.yaml:4:11: dynamic[0] has neither group nor groupFrom"},
		"dynamic with no group":    {good, "created:", "dynamic: [{group: a b, kindFrom: spec.kind}]\ncreated:", `a.yaml:4:19: group "a b" is not a group`},
		"late chart without kind": {
			good, "provider: {group: example.org, kind: A, plural: as, versions: [v1], scope: Cluster}\ncreated: operator\noperator: {kind: Deployment, namespace: a, name: a-operator}\nprovides: [{group: example.org, kind: B, plural: bs, versions: [v1], scope: Cluster}]",
			"chart: {names: [a]}\ncreated: operator\noperator: {kind: Deployment, namespace: a, name: a-operator}\nprovides: []",
			"a.yaml:6:11: provides is empty: list a kind whose coming shows that the operator has done its work",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadFS(fstest.MapFS{"a.yaml": {Data: []byte(change(t, tt.text, tt.from, tt.to))}})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			var at *FileError
			if !errors.As(err, &at) {
				t.Errorf("%v is not a FileError", err)
			}
		})
	}
}

func TestParseListsAllFaults(t *testing.T) {
	text := change(t, good, "plural: bs", "plural: Bs") + "x: 1\n"
	_, err := parse("a.yaml", []byte(text))
	if err == nil || !strings.Contains(err.Error(), `unknown field "x"`) {
		t.Fatalf("got %v", err)
	}
	text = change(t, change(t, good, "https://example.org/a", "a wiki"), "plural: bs", "plural: Bs")
	_, err = parse("a.yaml", []byte(text))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v, want two faults", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add(goodChart)
	f.Add("a: &a [*a]\n")
	f.Add("name: {")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parse("a.yaml", []byte(text))
		var at *FileError
		if err != nil && !errors.As(err, &at) {
			t.Errorf("%v is not a FileError", err)
		}
		if err == nil && len(e.validate()) > 0 {
			t.Error("an entry that is not valid was taken")
		}
	})
}
