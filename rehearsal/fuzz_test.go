package rehearsal

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// FuzzRehearse: whatever the files of a tree say, there is a result or an error,
// and the result can be written.
func FuzzRehearse(f *testing.F) {
	for _, name := range []string{"A01", "B01", "D13", "E06-patched", "custom-stage-of-a-release"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	c, err := known()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		for _, file := range txtar.Parse(data).Files {
			name := filepath.FromSlash(file.Name)
			if !filepath.IsLocal(name) || len(file.Data) > 16<<10 {
				return
			}
			path := filepath.Join(dir, name)
			// A name that is both a file and a directory is no tree.
			if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, file.Data, 0o600) != nil {
				return
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := Run(ctx, Options{Path: dir, Entry: "clusters/x", Catalog: c})
		if err != nil {
			if ctx.Err() != nil {
				t.Error("it takes more than a minute")
			}
			return
		}
		if _, err := r.JSON(); err != nil || r.Text() == "" {
			t.Errorf("the result cannot be written: %v", err)
		}
	})
}
