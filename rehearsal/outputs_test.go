package rehearsal

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestOutputsOfEveryCase rehearses all that is in testdata, and the examples, and
// holds what is written of each result against the result.
func TestOutputsOfEveryCase(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	all := map[string]Options{
		"homelab":  options(t, "../examples/homelab", "entry: clusters/prod"),
		"incident": options(t, "../examples/homelab-incident", "entry: clusters/prod"),
	}
	for _, file := range files {
		dir, head, _ := unpack(t, file)
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = options(t, dir, head)
	}
	schema := sarifSchema(t)
	for name, o := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			failsExactlyWhereTheTreeDoesNotPass(t, r)
			isValidAndPointsIntoTheTree(t, r, o, schema)
		})
	}
}

type junitRead struct {
	Failures int `xml:"failures,attr"`
	Cases    []struct {
		Class   string  `xml:"classname,attr"`
		Name    string  `xml:"name,attr"`
		Failure *string `xml:"failure"`
		Skipped *string `xml:"skipped"`
	} `xml:"testsuite>testcase"`
}

func failsExactlyWhereTheTreeDoesNotPass(t *testing.T, r *Result) {
	t.Helper()
	for _, strict := range []bool{false, true} {
		data, err := r.JUnit(strict)
		if err != nil {
			t.Fatal(err)
		}
		var got junitRead
		if err := xml.Unmarshal(data, &got); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if passes := r.Passes(strict); passes != (got.Failures == 0) {
			t.Errorf("strict %v: passes %v, and there are %d failures\n%s", strict, passes, got.Failures, data)
		}
		if len(got.Cases) != len(r.Kustomizations) {
			t.Errorf("%d cases of %d Kustomizations", len(got.Cases), len(r.Kustomizations))
		}
		for i, c := range got.Cases {
			k := r.Kustomizations[i]
			if c.Class != k.Namespace || c.Name != k.Name {
				t.Errorf("case %d is %s/%s, want %s", i, c.Class, c.Name, k.fullName())
			}
			if c.Failure == nil {
				continue
			}
			for _, blocked := range r.Blocked(k.fullName()) {
				if !strings.Contains(*c.Failure, blocked) {
					t.Errorf("the failure of %s does not name %s, which it keeps back: %s", k.fullName(), blocked, *c.Failure)
				}
			}
		}
	}
}

type sarifRead struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []sarifRule }
		}
		Results []sarifResult
	}
}

func isValidAndPointsIntoTheTree(t *testing.T, r *Result, o Options, schema *jsonschema.Schema) {
	t.Helper()
	data, err := r.SARIF(o.Entry)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	var got sarifRead
	if err := json.Unmarshal(data, &got); err != nil || len(got.Runs) != 1 || len(got.Runs[0].Results) != len(r.Findings) {
		t.Fatalf("%v\n%s", err, data)
	}
	prints := map[string]bool{}
	for i, result := range got.Runs[0].Results {
		f, loc := r.Findings[i], result.Locations[0].Physical
		if rule := got.Runs[0].Tool.Driver.Rules[result.RuleIndex]; rule.ID != string(f.Class) || result.RuleID != rule.ID {
			t.Errorf("%s has rule %s of %s", f.Class, result.RuleID, rule.ID)
		}
		if isError := f.Verdict == Deadlock || f.Verdict == Stall; isError && result.Level != "error" {
			t.Errorf("%s is %s", f.Verdict, result.Level)
		}
		file, err := url.PathUnescape(loc.Artifact.URI)
		if err != nil || filepath.IsAbs(file) {
			t.Errorf("%q is no relative path: %v", loc.Artifact.URI, err)
		}
		if _, err := os.Stat(filepath.Join(o.Path, file)); err != nil {
			t.Error(err)
		}
		if prints[result.Fingerprints["finding/v1"]] {
			t.Errorf("%s has the fingerprint of another", f.Message)
		}
		prints[result.Fingerprints["finding/v1"]] = true
	}
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{}}}); err == nil {
		t.Fatal("the schema accepts a run without a tool")
	}
	return schema
}

func TestSARIFOfOddNames(t *testing.T) {
	t.Parallel()
	never := Ready{}
	r := &Result{
		Converges: ResultNo,
		Kustomizations: []Kustomization{
			{Namespace: "a", Name: "b", Verdict: Precondition, Class: InDecryption, ReadyAfter: never},
			{Namespace: "a", Name: "c", Verdict: Hazard, Class: "of tomorrow"},
		},
		Findings: []Finding{
			{Verdict: Precondition, Class: InDecryption, Kustomization: "a/b", Message: "m", Object: &Object{Kind: "Secret", Name: "s", File: "a:b/ü 100%#?.yaml"}},
			{Verdict: Hazard, Class: "of tomorrow", Kustomization: "a/c", Message: "a -> \xff"},
			{Verdict: Precondition, Class: InRestore, Kustomization: "a/c", Message: "n"},
		},
	}
	data, err := r.SARIF("./clusters/prod/")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err == nil {
		err = sarifSchema(t).Validate(doc)
	}
	if err != nil {
		t.Error(err)
	}
	var got sarifRead
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, x := range got.Runs[0].Results {
		loc := x.Locations[0].Physical
		lines = append(lines, x.Level+" "+x.RuleID+" "+loc.Artifact.URI+" "+x.Message.Text)
	}
	want := []string{
		"error decryption ./a:b/%C3%BC%20100%25%23%3F.yaml PRECONDITION a/b: m. ",
		"warning of tomorrow clusters/prod HAZARD a/c: a -> \uFFFD. ",
		"note restore clusters/prod PRECONDITION a/c: n. ",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	if rule := got.Runs[0].Tool.Driver.Rules[1]; rule.ID != "of tomorrow" || rule.Help.Text == "" {
		t.Errorf("a class without words got the rule %+v", rule)
	}
}

// The page and the rules speak of the same classes.
func TestEveryClassHasARule(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/reference/rehearsal.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Classes\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var documented []Class
	for line := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cell, -1) {
			documented = append(documented, Class(m[1]))
		}
	}
	var ruled []Class
	for c := range rules() {
		ruled = append(ruled, c)
	}
	slices.Sort(documented)
	slices.Sort(ruled)
	if diff := cmp.Diff(documented, ruled); diff != "" {
		t.Errorf("documented -, with a rule in rules.go +\n%s", diff)
	}
}
