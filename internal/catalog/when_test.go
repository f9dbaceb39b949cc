package catalog

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// values reads fields as the caller has them, from YAML.
func values(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func condition(t *testing.T, text string) *When {
	t.Helper()
	var w When
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		t.Fatal(err)
	}
	return &w
}

func TestWhenHolds(t *testing.T) {
	const (
		certManager = "any: {crds.enabled: false, installCRDs: false}"
		on          = "any: {crds.enabled: true}"
		both        = "all: {operator.enabled: true, crds.enabled: false}"
		off         = "none: {skipCRDs: false}"
		components  = "contains: {field: spec.components, item: helm, default: true}"
		extra       = "contains: {field: spec.components, item: image, default: false}"
		given       = "given: [spec.multus]"
	)
	for _, tt := range []struct {
		when, fields string
		want         Answer
	}{
		{certManager, "", No},
		{certManager, "crds: {enabled: true}", Yes},
		{certManager, "installCRDs: true", Yes},
		{certManager, "{installCRDs: true, crds: {enabled: false}}", Yes}, // an "or" in the template
		{certManager, "{installCRDs: false, crds: {enabled: false}}", No},
		{certManager, "crds: {keep: true}", No},
		{certManager, `crds: {enabled: "${CRDS}"}`, Unknown},
		{certManager, `{crds: {enabled: "${CRDS}"}, installCRDs: true}`, Yes},
		{certManager, `crds: "${CRDS}"`, Unknown},
		{certManager, "crds: null", No},
		{certManager, "crds: [enabled]", No},

		// What a template's "if" takes for true.
		{on, "", Yes},
		{on, "crds: {enabled: false}", No},
		{on, "crds: {enabled: null}", No}, // null takes the default away
		{on, `crds: {enabled: ""}`, No},
		{on, `crds: {enabled: "false"}`, Yes}, // a text that is not empty
		{on, "crds: {enabled: 0}", No},
		{on, "crds: {enabled: 1}", Yes},
		{on, "crds: {enabled: []}", No},
		{on, "crds: {enabled: [a]}", Yes},
		{on, "crds: {enabled: {}}", No},
		{on, "crds: {enabled: {a: b}}", Yes},

		{both, "", No},
		{both, "crds: {enabled: true}", Yes},
		{both, "{crds: {enabled: true}, operator: {enabled: false}}", No},
		{both, `{crds: {enabled: true}, operator: {enabled: "${X}"}}`, Unknown},
		{both, `{crds: {enabled: false}, operator: {enabled: "${X}"}}`, No},

		{off, "", Yes},
		{off, "skipCRDs: true", No},
		{off, "skipCRDs: false", Yes},
		{off, `skipCRDs: "${X}"`, Unknown},
		{off + "\n" + on, "crds: {enabled: false}", No},
		{off + "\n" + on, "skipCRDs: true", No},

		{components, "", Yes},
		{components, "spec: {components: [source, helm]}", Yes},
		{components, "spec: {components: [source]}", No},
		{components, "spec: {components: []}", No},
		{components, `spec: {components: ["${X}", helm]}`, Yes},
		{components, `spec: {components: ["${X}", source]}`, Unknown},
		{components, `spec: {components: "${X}"}`, Unknown},
		{components, `spec: {components: helm}`, No},
		{extra, "spec: {}", No},
		{extra, "spec: {components: [image]}", Yes},

		{given, "spec: {multus: {}}", Yes},
		{given, "spec: {multus: null}", No},
		{given, "spec: {}", No},
		{given, `spec: "${X}"`, Yes},
	} {
		if got := condition(t, tt.when).Holds(values(t, tt.fields), false); got != tt.want {
			t.Errorf("%s with %s: got %v, want %v", tt.when, tt.fields, got, tt.want)
		}
	}
}

// TestWhenThereAreMoreFields: what can be seen counts, a default does not.
func TestWhenThereAreMoreFields(t *testing.T) {
	for _, tt := range []struct {
		when, fields string
		want         Answer
	}{
		{"any: {a: true}", "", Unknown},
		{"any: {a: true}", "a: true", Yes},
		{"any: {a: true}", "a: false", No},
		{"any: {a: false, b: false}", "a: false", Unknown},
		{"any: {a: false, b: false}", "b: true", Yes},
		{"all: {a: true, b: true}", "a: false", No},
		{"all: {a: true, b: true}", "a: true", Unknown},
		{"none: {a: false}", "", Unknown},
		{"none: {a: false}", "a: true", No},
		{"contains: {field: a, item: x}", "", Unknown},
		{"contains: {field: a, item: x}", "a: [y]", No},
		{"given: [a]", "", Unknown},
		{"given: [a]", "a: {}", Yes},
	} {
		if got := condition(t, tt.when).Holds(values(t, tt.fields), true); got != tt.want {
			t.Errorf("%s with %s and more: got %v, want %v", tt.when, tt.fields, got, tt.want)
		}
	}
}

func TestNoConditionAlwaysHolds(t *testing.T) {
	var w *When
	if got := w.Holds(nil, true); got != Yes {
		t.Errorf("got %v, want yes", got)
	}
	if got := w.String(); got != "always" {
		t.Errorf("got %q", got)
	}
}

func TestWhenInWords(t *testing.T) {
	for when, want := range map[string]string{
		"any: {installCRDs: false, crds.enabled: false}":                    "crds.enabled or installCRDs is true",
		"all: {b: true, a: true}":                                           "a and b is true",
		"none: {skipCRDs: false}":                                           "skipCRDs is not true",
		"given: [spec.multus]":                                              "spec.multus is given",
		"contains: {field: spec.components, item: helm}":                    "spec.components has helm",
		"{any: {a: true}, none: {b: false}, contains: {field: c, item: d}}": "a is true and b is not true and c has d",
	} {
		if got := condition(t, when).String(); got != want {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		a, b, and, or Answer
	}{
		{Yes, Yes, Yes, Yes},
		{Yes, Unknown, Unknown, Yes},
		{Yes, No, No, Yes},
		{Unknown, Unknown, Unknown, Unknown},
		{Unknown, No, No, Unknown},
		{No, No, No, No},
	} {
		if tt.a.and(tt.b) != tt.and || tt.b.and(tt.a) != tt.and {
			t.Errorf("%v and %v is not %v", tt.a, tt.b, tt.and)
		}
		if tt.a.or(tt.b) != tt.or || tt.b.or(tt.a) != tt.or {
			t.Errorf("%v or %v is not %v", tt.a, tt.b, tt.or)
		}
	}
	for a, want := range map[Answer]Answer{Yes: No, No: Yes, Unknown: Unknown} {
		if a.not() != want {
			t.Errorf("not %v is not %v", a, want)
		}
	}
	for a, want := range map[Answer]string{Yes: "yes", No: "no", Unknown: "unknown"} {
		if a.String() != want {
			t.Errorf("%v is not %q", a, want)
		}
	}
}
