package rehearsal

import (
	"path/filepath"
	"strings"
	"testing"
)

// kustomize-controller sorts what a new revision wakes by dependsOn, and wakes
// nobody where that is a circle; helm-controller sorts nothing.
func TestACycleOfReleasesKeepsNoKustomizationAsleep(t *testing.T) {
	for name, asleep := range map[string]bool{"D05-cycle": true, "release-cycle": false} {
		t.Run(name, func(t *testing.T) {
			dir, head, _ := unpack(t, filepath.Join("testdata", name+".txtar"))
			r, err := Run(t.Context(), options(t, dir, head))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) == 0 {
				t.Fatal("no finding")
			}
			if got := strings.Contains(r.Findings[0].Message, "Flux wakes no Kustomization"); got != asleep {
				t.Errorf("says that Flux wakes no Kustomization: %v, want %v: %s", got, asleep, r.Findings[0].Message)
			}
		})
	}
}
