package schemas_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/internal/schemas"
)

// Each file of testdata is objects, and what is wrong with each: its lines that
// begin with "#!" are the whole answer.
func TestCheck(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/objects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		t.Run(file.Name, func(t *testing.T) {
			t.Parallel()
			set := schemas.New()
			for document := range strings.SplitSeq(string(file.Data), "---\n") {
				o := read(t, document)
				var faults []string
				if o.GetKind() == "CustomResourceDefinition" {
					faults = set.Define(o)
				}
				more, err := set.Check(o)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(wanted(document), append(faults, more...)); diff != "" {
					t.Errorf("%s/%s: want -, got +\n%s", o.GetKind(), o.GetName(), diff)
				}
			}
		})
	}
}

// wanted are the answers that a document is marked with.
func wanted(document string) []string {
	var want []string
	for line := range strings.Lines(document) {
		if text, ok := strings.CutPrefix(line, "#! "); ok {
			want = append(want, strings.TrimSpace(text))
		}
	}
	return want
}

func TestNoValueOfASecretIsSaid(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"31337001", "31337001.5", "[31337001]", "{pin: 31337001}"} {
		faults, err := schemas.New().Check(read(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {pin: "+value+"}"))
		if err != nil {
			t.Fatal(err)
		}
		if len(faults) != 1 || strings.Contains(faults[0], "31337001") {
			t.Errorf("of %s: %q", value, faults)
		}
	}
}

// A kind that two definitions of a tree define, one for each of its clusters, is
// judged by the milder one.
func TestTheMilderOfTwoDefinitionsCounts(t *testing.T) {
	t.Parallel()
	definition, err := os.ReadFile("testdata/strict.yaml")
	if err != nil {
		t.Fatal(err)
	}
	object := read(t, "apiVersion: example.org/v1\nkind: Boat\nmetadata: {name: b}\nspec: {crew: 1, sails: 2}")
	set := schemas.New()
	for i, text := range []string{string(definition), strings.ReplaceAll(string(definition), "crew:", "sails: {type: integer}\n                crew:")} {
		if faults := set.Define(read(t, text)); len(faults) > 0 {
			t.Fatal(faults)
		}
		faults, err := set.Check(object)
		if err != nil {
			t.Fatal(err)
		}
		if refused := len(faults) > 0; refused != (i == 0) {
			t.Errorf("with %d definitions: %q", i+1, faults)
		}
	}
}

// What is asked for must not be changed by the question.
func TestCheckLeavesTheObjectAlone(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/objects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	set := schemas.New()
	for _, file := range archive.Files {
		for document := range strings.SplitSeq(string(file.Data), "---\n") {
			o := read(t, document)
			before := o.DeepCopy()
			set.Define(o)
			if _, err := set.Check(o); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before.Object, o.Object); diff != "" {
				t.Errorf("%s: %s", o.GetName(), diff)
			}
		}
	}
}

func TestFaultsAreSorted(t *testing.T) {
	t.Parallel()
	o := read(t, "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec: {z: 1, b: 2, k: 3, interval: 1m, d: 4}")
	for range 20 {
		faults, err := schemas.New().Check(o)
		if err != nil {
			t.Fatal(err)
		}
		if len(faults) != 4 || !slices.IsSorted(faults) {
			t.Fatalf("%q", faults)
		}
	}
}

func read(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}
