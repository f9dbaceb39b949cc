package manifests_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/manifests"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	bomb := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nl0: &l0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("l%d: &l%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 9), ", "))
	}
	itself := "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: a, labels: *m}\n"
	huge := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: " + strings.Repeat("x", 33<<20) + "}\n"
	for name, tc := range map[string]struct{ content, want string }{
		"aliases that multiply": {bomb, "a.yaml: its aliases expand to more than 1000000 values"},
		"an alias of itself":    {itself, "a.yaml: its aliases expand to more than 1000000 values"},
		"a huge file":           {huge, "a.yaml: it has 33 MiB"},
		"a few aliases":         {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &d {a: b}\nbinaryData: *d\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			tree, err := manifests.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			spec := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"path": "./"}}}
			_, err = tree.Build(t.Context(), spec, nil, manifests.Options{})
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, ok := errors.AsType[*manifests.LimitError](err); !ok || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
