package rehearsal

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimelineOfTheHomelab(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), options(t, "../examples/homelab", "entry: clusters/prod"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"flux-system/flux-system", "flux-system/cilium", "flux-system/platform", "flux-system/platform-config", "flux-system/platform-config-cdi", "flux-system/apps-vms"}
	if diff := cmp.Diff(want, r.Timeline.Flux.Critical); diff != "" {
		t.Errorf("the longest chain: want -, got +\n%s", diff)
	}
	if diff := cmp.Diff([]Delay{{"flux-system/platform-config-cdi", 2 * time.Minute}}, r.Timeline.Retries); diff != "" {
		t.Errorf("retries: want -, got +\n%s", diff)
	}
	if flux, standup := r.Timeline.Flux.End(), r.Timeline.Standup.End(); standup >= flux || r.Timeline.Worst() != flux+2*time.Minute {
		t.Errorf("flux %s, at worst %s, standup %s", flux, r.Timeline.Worst(), standup)
	}
}

// TestThePictureIsWellFormed and has a row for every Kustomization, also for
// those that are never Ready; names cannot break out of it.
func TestThePictureIsWellFormed(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), options(t, "../examples/homelab-incident", "entry: clusters/prod"))
	if err != nil {
		t.Fatal(err)
	}
	r.Timeline.Flux.Bars[0].Kustomization = "flux-system/<script>"
	var svg, page bytes.Buffer
	if err := errors.Join(r.SVG(&svg), r.HTML(&page)); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for dec := xml.NewDecoder(bytes.NewReader(svg.Bytes())); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg.String())
		}
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local == "script" {
				t.Error("a name has broken out")
			}
			if e.Name.Local == "title" {
				rows++
			}
		}
	}
	if rows != len(r.Kustomizations)+1 || !strings.Contains(svg.String(), "Flux never") {
		t.Errorf("%d titles in\n%s", rows, svg.String())
	}
	if !strings.Contains(page.String(), "<svg") || !strings.Contains(page.String(), "DEADLOCK same-set") {
		t.Errorf("the page:\n%s", page.String())
	}
}
