package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dirOf writes the files of a text into a directory.
func dirOf(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, file := range filesOf(t, text) {
		if err := os.WriteFile(filepath.Join(dir, name), file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadDir(t *testing.T) {
	entries, err := LoadDir(dirOf(t, `-- mine.yaml --
name: mine
chart: {names: [mine]}
created: chart
provides: [example.io/Widget]
-- README.md --
not an entry
-- other.yml --
not: an entry
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name != "mine" {
		t.Errorf("got %v", names(entries))
	}
}

func TestLoadDirOfNothing(t *testing.T) {
	entries, err := LoadDir(t.TempDir())
	if err != nil || len(entries) != 0 {
		t.Errorf("got %v, %v", entries, err)
	}
}

func TestLoadDirThatIsWrong(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	file := filepath.Join(dirOf(t, "-- a.yaml --\nname: a\n"), "a.yaml")
	for name, tt := range map[string]struct{ dir, want string }{
		"missing":    {missing, missing + ": the catalogue's directory cannot be read: no such file or directory"},
		"a file":     {file, file + ": the catalogue is not a directory"},
		"two faults": {dirOf(t, "-- a.yaml --\nname: a\n-- b.yaml --\nnam: b\n"), "b.yaml:1:1: unknown field \"nam\""},
		"two claims": {
			dirOf(t, "-- a.yaml --\nname: a\nchart: {names: [x]}\ncreated: chart\n-- b.yaml --\nname: b\nchart: {names: [x]}\ncreated: chart\n"),
			`: entries "a" and "b" both claim chart "x"`,
		},
	} {
		_, err := LoadDir(tt.dir)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		var at *FileError
		if !errors.As(err, &at) || !strings.HasPrefix(at.File, tt.dir) {
			t.Errorf("%s: %v is not a FileError beneath %s", name, err, tt.dir)
		}
	}
}

// TestLoadDirInOrder: the same faults in the same order, however many workers.
func TestLoadDirInOrder(t *testing.T) {
	dir := dirOf(t, "-- a.yaml --\nx: 1\n-- b.yaml --\nx: 1\n-- c.yaml --\nx: 1\n-- d.yaml --\nx: 1\n-- e.yaml --\nx: 1\n")
	var want string
	for i := range 20 {
		_, err := LoadDir(dir)
		if err == nil {
			t.Fatal("the files are wrong, and taken")
		}
		if i == 0 {
			want = err.Error()
			if strings.Count(want, "\n") != 4 || !strings.HasPrefix(want, filepath.Join(dir, "a.yaml")) {
				t.Fatalf("got %s", want)
			}
		}
		if err.Error() != want {
			t.Fatalf("got %v, then %s", want, err)
		}
	}
}

// TestDirectoryOverBuiltIn is what --catalog does.
func TestDirectoryOverBuiltIn(t *testing.T) {
	entries, err := LoadDir(dirOf(t, `-- my-cert-manager.yaml --
name: my-cert-manager
note: Our own build always has the CRDs.
chart: {names: [cert-manager], crds: directory}
created: chart
groups: [cert-manager.io]
`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := load(t).With(entries...)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := c.Installed(Release{Chart: "cert-manager"}); b.Of(gk("cert-manager.io/Issuer")) != Yes {
		t.Errorf("got %+v, want the person's own entry", b)
	}
	if len(c.Entries()) != len(load(t).Entries()) {
		t.Errorf("got %d entries, want as many as before: one replaces one", len(c.Entries()))
	}
}
