package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
)

// packed is an artifact as source-controller stores it.
func packed(t *testing.T, files map[string]string) (data []byte, digest string) {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), "sha256:" + hex.EncodeToString(sum[:])
}

// serves makes the source of the cluster one that has the files.
func (f *fleet) serves(t *testing.T, url, digest string) {
	t.Helper()
	source := gitRepository()
	source.Status.Artifact = &meta.Artifact{Revision: revision, URL: url, Digest: digest}
	f.Put(t, source)
}

// Without a checkout the manifests are those that Flux has fetched.
func TestCrdsReadsTheArtifactOfTheSource(t *testing.T) {
	data, digest := packed(t, map[string]string{"storage/all.yaml": storageSet, "apps/vars.yaml": appsSet})
	var fetched []string
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched = append(fetched, r.URL.Path)
		_, _ = w.Write(data) // the client is gone
	}))
	t.Cleanup(source.Close)
	f := newWedged(t)
	f.serves(t, source.URL+"/fleet.tar.gz", digest)
	f.needsNoTime(t)
	text, code := f.run(t, "crds")
	if code != ExitOK || !strings.Contains(text, "1 Kustomization no longer wedged") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	if !slices.Equal(fetched, []string{"/fleet.tar.gz"}) {
		t.Errorf("fetched %q, want it once", fetched)
	}
}

// Who cannot be helped for want of the manifests learns how to give them.
func TestCrdsWithoutTheManifests(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(gone.Close)
	const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for name, spoil := range map[string]func(*fleet){
		"gone": func(f *fleet) { f.serves(t, gone.URL+"/fleet.tar.gz", digest) },
		"in-cluster": func(f *fleet) {
			f.serves(t, "http://source-controller.flux-system.svc.cluster.local./fleet.tar.gz", digest)
		},
		"no-artifact":  func(f *fleet) { s := gitRepository(); s.Status.Artifact = nil; f.Put(t, s) },
		"no-source":    func(f *fleet) { f.Forget(t, "source.toolkit.fluxcd.io/v1", "GitRepository", namespace, "flux-system") },
		"other-digest": func(f *fleet) { f.serves(t, gone.URL, strings.Replace(digest, "0", "1", 1)) },
	} {
		f := newWedged(t)
		spoil(f)
		text, code := f.run(t, "crds")
		if code != ExitPrecondition || !strings.Contains(text, "the artifact of GitRepository/flux-system/flux-system cannot be read") || !strings.Contains(text, "--path") {
			t.Errorf("%s: exit code %d\n%s", name, code, text)
		}
		f.unchanged(t)
	}
}

// What was applied early and is not Flux's yet is shown until it is.
func TestStatusOfWhatIsNotHandedOver(t *testing.T) {
	f := newWedged(t)
	if text, code := f.run(t, "crds", "--path", f.storage(t), "--patience", "1s"); code != ExitOutOfTime {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	f.golden(t, "status-early", ExitOK, "status")
	f.golden(t, "status-early.json", ExitOK, "status", "-o", "json")
	f.adopt(t)
	if text, code := f.run(t, "status"); code != ExitOK || strings.Contains(text, "CDI") {
		t.Errorf("after the handover: exit code %d\n%s", code, text)
	}
}

// resume breaks the wedge that stands in its way, and goes on.
func TestResumeBreaksAWedge(t *testing.T) {
	for _, output := range outputs() {
		f := newWedged(t)
		f.needsNoTime(t)
		order := f.order(t, "tiers:\n  - name: storage\n  - name: apps\n")
		text, code := f.run(t, "resume", "--path", f.storage(t), "-f", order, "-o", output)
		if code != ExitOK || !strings.Contains(text, "CDI") {
			t.Errorf("exit code %d\n%s", code, text)
		}
		if got := f.appliedEarly(t); !slices.Equal(got, []string{"CDI/cdi"}) {
			t.Errorf("applied %q", got)
		}
	}
}

// J07: the operator of a chart registers kinds some time after the chart is
// installed. That is waited for, and not taken for the chart's failure.
func TestJ07AKindThatAnOperatorRegistersLaterIsWaitedFor(t *testing.T) {
	f := newWedged(t)
	r := f.start(t, "crds", "--path", f.storage(t))
	r.errs.await(t, "StorageProfile.cdi.kubevirt.io: is not served yet")
	f.Serve(cdiVersion, cdiKind(), profileKind())
	f.applies(t, r.errs)
	if code := r.end(t); code != ExitOK {
		t.Errorf("exit code %d\n%s%s", code, r.out, r.errs)
	}
}

// G04: an aggregated API that is down is nobody's business who does not need it.
func TestG04OneBrokenGroupOfTheAPI(t *testing.T) {
	down := func(group string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/apis/"+group) {
				return false
			}
			http.Error(w, "the server is currently unable to handle the request", http.StatusServiceUnavailable)
			return true
		}
	}
	f := newWedged(t)
	f.needsNoTime(t)
	f.Serve("metrics.k8s.io/v1beta1", kindOf("pods", "PodMetrics"))
	f.SetFault(down("metrics.k8s.io"))
	for _, args := range [][]string{{"crds", "--dry-run", "--path", f.storage(t)}, {"status"}} {
		if text, code := f.run(t, args...); code != ExitOK {
			t.Errorf("%v: exit code %d\n%s", args, code, text)
		}
	}
	if text, code := f.run(t, "resume", "--path", f.storage(t)); code != ExitOK {
		t.Errorf("resume: exit code %d\n%s", code, text)
	}
	f = newWedged(t)
	f.SetFault(down("cdi.kubevirt.io"))
	if text, code := f.run(t, "crds", "--path", f.storage(t)); code == ExitOK || code == ExitVerdict {
		t.Errorf("a group that is needed: could not look is not absent: exit code %d\n%s", code, text)
	}
	f.unchanged(t)
}
