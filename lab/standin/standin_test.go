package standin

import (
	"testing"

	"github.com/standup-sh/standup/internal/catalog"
)

func TestStorageVersionIsTheMostStable(t *testing.T) {
	for _, tt := range []struct {
		versions []string
		want     string
	}{
		{[]string{"v1"}, "v1"},
		{[]string{"v1alpha1", "v1beta1"}, "v1beta1"},
		{[]string{"v2alpha1", "v2"}, "v2"},
	} {
		if got := storageVersion(tt.versions); got != tt.want {
			t.Errorf("storageVersion(%v) = %s, want %s", tt.versions, got, tt.want)
		}
	}
}

func TestEveryCatalogueKindMakesOneStorageVersion(t *testing.T) {
	cat, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range cat.Entries() {
		for _, k := range e.Provides {
			gk, gvr := kindOf(CRD(k, nil))
			if gk != k.GroupKind() || gvr.Resource != k.Plural || gvr.Version == "" {
				t.Errorf("%s: CRD of %s reads back as %v, %v", e.Name, k.GroupKind(), gk, gvr)
			}
		}
	}
}
