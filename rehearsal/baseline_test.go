package rehearsal

import (
	"errors"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/tiers"
)

func TestParseBaseline(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: standup/v1\nkind: Baseline\n"
	b, err := ParseBaseline("b.yaml", []byte(head+"kinds: [a.io, b.io/C]\nobjects: [{kind: Secret, namespace: a, name: b, absent: true}]\n"))
	if err != nil || len(b.Kinds) != 2 || !b.absent("Secret", "a", "b") || b.absent("Secret", "a", "c") {
		t.Errorf("got %+v, %v", b, err)
	}
	for text, want := range map[string]string{
		"":                              "this is not a baseline",
		"kind: Baseline\n":              "this is not a baseline",
		head + "kindes: [a]\n":          "field kindes not found",
		head + "kinds: {a: b}\n":        "cannot unmarshal",
		head + "objects: [{kind: A}]\n": "no name",
		head + "objects: [{name: a}]\n": "no kind",
		head + "\tkinds: [a]\n":         "cannot be read",
	} {
		_, err := ParseBaseline("b.yaml", []byte(text))
		if fault, ok := errors.AsType[*tiers.FileError](err); !ok || fault.File != "b.yaml" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestBuiltinsAreThoseOfKubernetesAndFlux(t *testing.T) {
	t.Parallel()
	b, err := loadBuiltins()
	if err != nil {
		t.Fatal(err)
	}
	has := func(kinds []catalog.Kind, gk catalog.GroupKind) bool {
		for _, k := range kinds {
			if k.GroupKind() == gk && k.Scope != "" && len(k.Versions) > 0 {
				return true
			}
		}
		return false
	}
	for _, gk := range []catalog.GroupKind{
		{Kind: "Namespace"},
		{Kind: "Secret"},
		{Group: "apps", Kind: "Deployment"},
		{Group: "storage.k8s.io", Kind: "StorageClass"},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
		{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"},
	} {
		if !has(b.kinds(nil), gk) {
			t.Errorf("%s is not built in", gk)
		}
	}
	image := catalog.GroupKind{Group: "image.toolkit.fluxcd.io", Kind: "ImagePolicy"}
	if has(b.kinds(nil), image) || !has(b.kinds([]string{"image-reflector-controller"}), image) {
		t.Error("the kinds of image automation come with its controllers and not by default")
	}
}

func TestRunRefusesAnEntryThatIsNoDirectory(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), Options{Path: t.TempDir(), Entry: "clusters/x"})
	if e, ok := errors.AsType[*EntryError](err); !ok || e.Entry != "clusters/x" {
		t.Errorf("got %v", err)
	}
}

func TestTheClockRunsEventsInOrder(t *testing.T) {
	t.Parallel()
	var c clock
	var got []string
	note := func(s string) func() { return func() { got = append(got, s+"@"+c.now.String()) } }
	c.after(2, note("c"))
	c.after(1, func() { note("a")(); c.after(0, note("b")); c.after(1, note("d")) })
	for c.step() {
	}
	if want := "a@1ns b@1ns c@2ns d@2ns"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
