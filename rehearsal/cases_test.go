package rehearsal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/tiers"
)

// known is the catalogue, read once for all tests.
var known = sync.OnceValues(catalog.Load)

// unpack writes the files of an archive, and gives its header and what is wanted.
func unpack(t *testing.T, file string) (dir, head, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, string(archive.Comment), want
}

// options reads the header of an archive: entry, seeded, absent, source.
func options(t *testing.T, dir, head string) Options {
	t.Helper()
	c, err := known()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Path: dir, Catalog: c, Sources: map[tiers.Ref]string{}}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "entry":
			o.Entry = value
		case "seeded":
			o.Seeded = append(o.Seeded, value)
		case "baseline":
			if o.Baseline, err = ParseBaseline("baseline", []byte("apiVersion: standup/v1\nkind: Baseline\n"+value)); err != nil {
				t.Fatal(err)
			}
		case "from":
			o.From = filepath.Join(dir, value)
		case "path":
			o.Path = filepath.Join(dir, value)
		case "flux":
			if o.Flux, err = ParseFlux(value); err != nil {
				t.Fatal(err)
			}
		case "concurrent":
			if o.Concurrent, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
		case "source":
			name, sub, _ := strings.Cut(value, "=")
			parts := strings.Split(name, "/")
			o.Sources[tiers.Ref{Kind: parts[0], Namespace: parts[1], Name: parts[2]}] = filepath.Join(dir, sub)
		}
	}
	return o
}

// summary is a result in the words of the archives. A remedy is compared where
// the archive has one.
func summary(r *Result, remedies bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "converges %s\n", r.Converges)
	for _, k := range r.Kustomizations {
		b.WriteString(strings.TrimSpace(fmt.Sprintf("%s/%s %s %s", k.Namespace, k.Name, k.Verdict, k.Class)))
		if k.BlockedBy != nil {
			b.WriteString(" <- " + *k.BlockedBy)
		}
		b.WriteString("\n")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "! %s %s %s", f.Verdict, f.Class, f.Kustomization)
		if o := f.Object; o != nil {
			fmt.Fprintf(&b, " %s %s:%d", objectKey{kind: o.Kind, namespace: o.Namespace, name: o.Name}, o.File, o.Line)
		}
		for _, m := range f.Missing {
			fmt.Fprintf(&b, " missing %s.%s", m.Kind, m.Group)
		}
		if p := f.Provider; p != nil {
			fmt.Fprintf(&b, " provider %s", objectKey{kind: p.Kind, namespace: p.Namespace, name: p.Name})
		}
		b.WriteString("\n")
		if remedies {
			b.WriteString("  " + f.Remedy + "\n")
		}
	}
	return b.String()
}

// rewrite puts what was got where what is wanted stands, to be looked through.
func rewrite(t *testing.T, file, got string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(data), "-- want --\n")
	if err := os.WriteFile(file, []byte(before+"-- want --\n"+got), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCases: every archive in testdata is a case of the collection of real
// failures, or a variant of one, and is named after it.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			dir, head, want := unpack(t, file)
			r, err := Run(t.Context(), options(t, dir, head))
			if err != nil {
				t.Fatal(err)
			}
			got := summary(r, strings.Contains(want, "\n  "))
			if os.Getenv("UPDATE_GOLDEN") != "" {
				rewrite(t, file, got)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

func TestHomelabConvergesWithOneRace(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{"dev", "prod"} {
		r, err := Run(t.Context(), options(t, "../examples/homelab", "entry: clusters/"+cluster))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, fmt.Sprint(f.Verdict, " ", f.Class, " ", f.Kustomization))
		}
		want := []string{"PRECONDITION decryption flux-system/platform-config", "RACE weak-edge flux-system/platform-config-cdi"}
		if diff := cmp.Diff(want, got); diff != "" || r.Converges != ResultYes {
			t.Errorf("%s: converges %s, want -, got +\n%s", cluster, r.Converges, diff)
		}
	}
}

func TestHomelabIncidentIsADeadlock(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), options(t, "../examples/homelab-incident", "entry: clusters/prod"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Converges != ResultNo || len(r.Findings) == 0 || r.Findings[0].Class != SameSet || r.Findings[0].Kustomization != "flux-system/platform-config" {
		t.Errorf("got %s", summary(r, false))
	}
	want := []string{"flux-system/apps", "flux-system/apps-vms", "flux-system/crafty", "flux-system/headlamp", "flux-system/oauth2-proxy", "flux-system/velero"}
	if diff := cmp.Diff(want, r.Blocked("flux-system/platform-config")); diff != "" {
		t.Errorf("blocked: want -, got +\n%s", diff)
	}
}

func TestTheSameTreeGivesTheSameBytes(t *testing.T) { //nolint:paralleltest // changes GOMAXPROCS
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []byte
	for i := range 20 {
		runtime.GOMAXPROCS([]int{1, 8}[i%2])
		r, err := Run(t.Context(), options(t, "../examples/homelab-incident", "entry: clusters/prod"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if diff := cmp.Diff(string(first), string(data)); diff != "" {
			t.Fatal(diff)
		}
	}
}
