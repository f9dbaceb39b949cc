package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// providers are all the ways in which an object can say what it brings.
const providers = `-- constraint.yaml --
name: constraint
provider: {group: templates.example.io, kind: Template}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
dynamic:
  - {group: constraints.example.io, kindFrom: spec.crd.spec.names.kind}
-- definition.yaml --
name: definition
provider: {group: example.io, kind: Definition}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
dynamic:
  - {groupFrom: spec.group, kindFrom: spec.names.kind}
  - {groupFrom: spec.group, kindFrom: spec.claimNames.kind}
-- graph.yaml --
name: graph
provider: {group: example.io, kind: Graph}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
dynamic:
  - {group: graphs.example.io, groupFrom: spec.schema.group, kindFrom: spec.schema.kind}
-- package.yaml --
name: package
provider: {group: example.io, kind: Package}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
unknown: true
provides: [example.io/Known]
-- instance.yaml --
name: instance
provider: {group: example.io, kind: Instance}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
parts:
  - when: {contains: {field: spec.components, item: helm, default: true}}
    provides: [helm.example.io/Release]
  - when: {contains: {field: spec.components, item: image, default: false}}
    groups: [image.example.io]
-- wide.yaml --
name: wide
provider: {group: cloud.example.io, kind: Connector}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
groups: ["*.example.io"]
`

func TestProvided(t *testing.T) {
	c := catalogOf(t, providers)
	for _, tt := range []struct {
		provider, object string
		kind             string
		want             Answer
	}{
		{"templates.example.io/Template", "spec: {crd: {spec: {names: {kind: NeedsLabel}}}}", "constraints.example.io/NeedsLabel", Yes},
		{"templates.example.io/Template", "spec: {crd: {spec: {names: {kind: NeedsLabel}}}}", "constraints.example.io/Other", No},
		{"templates.example.io/Template", "spec: {crd: {spec: {names: {kind: NeedsLabel}}}}", "example.io/NeedsLabel", No},
		{"templates.example.io/Template", `spec: {crd: {spec: {names: {kind: "${KIND}"}}}}`, "constraints.example.io/NeedsLabel", Unknown},
		{"templates.example.io/Template", "spec: {}", "constraints.example.io/NeedsLabel", No},
		{"templates.example.io/Template", "spec: {crd: {spec: {names: {kind: [a]}}}}", "constraints.example.io/NeedsLabel", No},

		{"example.io/Definition", "spec: {group: db.example.org, names: {kind: XPostgres}}", "db.example.org/XPostgres", Yes},
		{"example.io/Definition", "spec: {group: db.example.org, names: {kind: XPostgres}}", "db.example.org/Postgres", No},
		{"example.io/Definition", "spec: {group: db.example.org, names: {kind: XPostgres}, claimNames: {kind: Postgres}}", "db.example.org/Postgres", Yes},
		{"example.io/Definition", `spec: {group: "${GROUP}", names: {kind: XPostgres}}`, "db.example.org/XPostgres", Unknown},
		{"example.io/Definition", "spec: {names: {kind: XPostgres}}", "db.example.org/XPostgres", No},

		{"example.io/Graph", "spec: {schema: {kind: App}}", "graphs.example.io/App", Yes},
		{"example.io/Graph", "spec: {schema: {kind: App, group: apps.example.org}}", "apps.example.org/App", Yes},
		{"example.io/Graph", "spec: {schema: {kind: App, group: apps.example.org}}", "graphs.example.io/App", No},

		{"example.io/Package", "spec: {}", "example.io/Known", Yes},
		{"example.io/Package", "spec: {}", "anything.example.org/Whatever", Unknown},
		{"example.io/Package", "spec: {}", "example.io/Package", No},

		{"example.io/Instance", "spec: {}", "helm.example.io/Release", Yes},
		{"example.io/Instance", "spec: {components: [image]}", "helm.example.io/Release", No},
		{"example.io/Instance", "spec: {components: [image]}", "image.example.io/Policy", Yes},
		{"example.io/Instance", "spec: {}", "image.example.io/Policy", No},

		{"cloud.example.io/Connector", "", "sql.example.io/Instance", Yes},
		{"cloud.example.io/Connector", "", "cloud.example.io/Context", Yes},
		{"cloud.example.io/Connector", "", "cloud.example.io/Connector", No}, // never itself
		{"cloud.example.io/Connector", "", "example.io/Instance", No},
	} {
		b, ok := c.Provided(gk(tt.provider), values(t, tt.object))
		if !ok {
			t.Fatalf("%s is not a provider", tt.provider)
		}
		if got := b.Of(gk(tt.kind)); got != tt.want {
			t.Errorf("%s with %s brings %s: got %v, want %v", tt.provider, tt.object, tt.kind, got, tt.want)
		}
	}
	if _, ok := c.Provided(gk("example.io/Known"), nil); ok {
		t.Error("a kind that is no provider brings something")
	}
}

func TestProvidedNamesWhatTheObjectNames(t *testing.T) {
	b, _ := catalogOf(t, providers).Provided(gk("example.io/Definition"),
		values(t, "spec: {group: db.example.org, names: {kind: XPostgres}, claimNames: {kind: Postgres}}"))
	if len(b.Shares) != 1 || len(b.Shares[0].Named) != 2 || b.Shares[0].Named[1] != gk("db.example.org/Postgres") {
		t.Errorf("got %+v", b.Shares)
	}
	if b.Unknown || b.Nothing() {
		t.Errorf("unknown is %v, nothing is %v; want neither", b.Unknown, b.Nothing())
	}
}

// charts are all the ways in which a chart can bring kinds.
const charts = `-- directory.yaml --
name: directory
chart: {names: [directory], crds: directory}
created: chart
provides: [example.io/Widget]
-- templates.yaml --
name: templates
chart: {names: [templates], crds: templates}
created: chart
when: {any: {crds.enabled: false}}
provides: [example.io/Widget]
groups: [more.example.io]
-- somewhere.yaml --
name: somewhere
chart: {names: [somewhere]}
created: chart
provides: [example.io/Widget]
-- late.yaml --
name: late
chart: {names: [late]}
created: operator
operator: {kind: Deployment, namespace: a, name: a}
provides: [example.io/Widget]
-- parts.yaml --
name: parts
chart: {names: [parts], crds: templates}
created: chart
provides: [example.io/Widget]
maybe: [old.example.io]
parts:
  - when: {all: {sub.enabled: true}}
    crds: directory
    provides: [sub.example.io/Gear]
  - when: {any: {again: false}}
    provides: [sub.example.io/Gear]
-- nothing.yaml --
name: nothing
chart: {names: [nothing]}
created: chart
-- raw.yaml --
name: raw
chart: {names: [raw]}
created: chart
unknown: true
`

func TestInstalled(t *testing.T) {
	c := catalogOf(t, charts)
	for _, tt := range []struct {
		release Release
		values  string
		kind    string
		want    Answer
	}{
		{Release{Chart: "directory"}, "", "example.io/Widget", Yes},
		{Release{Chart: "directory"}, "", "example.io/Gear", No},
		{Release{Chart: "directory", SkipCRDs: true}, "", "example.io/Widget", No},
		{Release{Chart: "templates"}, "", "example.io/Widget", No},
		{Release{Chart: "templates", Partial: true}, "", "example.io/Widget", Unknown},
		{Release{Chart: "templates"}, "crds: {enabled: true}", "example.io/Widget", Yes},
		{Release{Chart: "templates", SkipCRDs: true}, "crds: {enabled: true}", "example.io/Widget", Yes}, // Skip is for directories
		{Release{Chart: "templates"}, "crds: {enabled: true}", "more.example.io/Anything", Yes},
		{Release{Chart: "somewhere"}, "", "example.io/Widget", Yes},
		{Release{Chart: "somewhere", SkipCRDs: true}, "", "example.io/Widget", Unknown},
		{Release{Chart: "late", SkipCRDs: true}, "", "example.io/Widget", Yes}, // Helm has no say
		{Release{Chart: "parts"}, "", "example.io/Widget", Yes},
		{Release{Chart: "parts"}, "", "sub.example.io/Gear", Yes},
		{Release{Chart: "parts"}, "sub: {enabled: false}", "sub.example.io/Gear", No},
		{Release{Chart: "parts"}, "{sub: {enabled: false}, again: true}", "sub.example.io/Gear", Yes},
		{Release{Chart: "parts", SkipCRDs: true}, "", "sub.example.io/Gear", No},
		{Release{Chart: "parts", SkipCRDs: true}, "again: true", "sub.example.io/Gear", Yes},
		{Release{Chart: "parts"}, "", "old.example.io/Widget", Unknown},
		{Release{Chart: "nothing"}, "", "example.io/Widget", No},
		{Release{Chart: "raw"}, "", "example.io/Widget", Unknown},
	} {
		tt.release.Values = values(t, tt.values)
		b, ok := c.Installed(tt.release)
		if !ok {
			t.Fatalf("%s is not a chart", tt.release.Chart)
		}
		if got := b.Of(gk(tt.kind)); got != tt.want {
			t.Errorf("%+v brings %s: got %v, want %v", tt.release, tt.kind, got, tt.want)
		}
	}
	if _, ok := c.Installed(Release{Chart: "unheard-of"}); ok {
		t.Error("a chart that the catalogue does not know brings something")
	}
}

func TestNothing(t *testing.T) {
	c := catalogOf(t, charts)
	for chart, want := range map[string]bool{
		"nothing": true, "raw": false, "directory": false, "late": false,
		"templates": true, // unless its value says otherwise
	} {
		if b, _ := c.Installed(Release{Chart: chart}); b.Nothing() != want {
			t.Errorf("%s: got %v, want %v", chart, b.Nothing(), want)
		}
	}
}

func TestShareSaysWhyAndWhere(t *testing.T) {
	c := catalogOf(t, charts)
	b, _ := c.Installed(Release{Chart: "templates"})
	s, ok := b.Share(gk("example.io/Widget"))
	if !ok || s.Come != No || s.When.String() != "crds.enabled is true" || s.HelmOwned() != Yes {
		t.Errorf("got %+v, %v", s, ok)
	}
	if _, ok := b.Share(gk("example.io/Gear")); ok {
		t.Error("a kind that is not listed has a share")
	}
	for chart, want := range map[string]Answer{"directory": No, "templates": Yes, "somewhere": Unknown} {
		b, _ := c.Installed(Release{Chart: chart})
		if s, _ := b.Share(gk("example.io/Widget")); s.HelmOwned() != want {
			t.Errorf("%s: Helm owns its CRDs: got %v, want %v", chart, s.HelmOwned(), want)
		}
	}
	// Of two shares with a kind, the one that comes is the one to speak of.
	b, _ = c.Installed(Release{Chart: "parts", Values: values(t, "{sub: {enabled: false}, again: true}")})
	if s, _ := b.Share(gk("sub.example.io/Gear")); s.CRDs != InTemplates || s.Come != Yes {
		t.Errorf("got %+v", s)
	}
}

func TestRendered(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		values map[string]any
		want   []GroupKind
	}{
		{nil, nil},
		{map[string]any{"route": map[string]any{}}, []GroupKind{{"gateway.networking.k8s.io", "HTTPRoute"}}},
	} {
		if diff := cmp.Diff(tc.want, c.Rendered(Release{Chart: "app-template", Values: tc.values})); diff != "" {
			t.Errorf("%v: want -, got +\n%s", tc.values, diff)
		}
	}
	if got := c.Rendered(Release{Chart: "of-nobody"}); got != nil {
		t.Errorf("got %v", got)
	}
}
