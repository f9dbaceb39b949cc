package manifests_test

import (
	archivetar "archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/standup-sh/standup/internal/manifests"
)

// pack makes an archive of headers, each with its name as its content.
func pack(t *testing.T, headers ...archivetar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := archivetar.NewWriter(zipped)
	for _, h := range headers {
		content := ""
		if h.Typeflag == archivetar.TypeReg {
			content = named("packed")
			h.Size, h.Mode = int64(len(content)), 0o600
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func serving(content []byte) func(context.Context, string) (io.ReadCloser, error) {
	return func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}
}

// tempDir gives the test a directory for temporary files of its own, and checks
// that nothing is left in it.
func tempDir(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
}

func TestFetch(t *testing.T) {
	tempDir(t)
	content := pack(t, archivetar.Header{Typeflag: archivetar.TypeReg, Name: "apps/a.yaml"},
		archivetar.Header{Typeflag: archivetar.TypeSymlink, Name: "apps/link.yaml", Linkname: "/etc/passwd"},
		archivetar.Header{Typeflag: archivetar.TypeReg, Name: ".github/ignored-by-nobody.yaml"})
	for _, d := range []string{
		digest.SHA256.FromBytes(content).String(), digest.SHA384.FromBytes(content).String(),
		digest.SHA512.FromBytes(content).String(), digest.BLAKE3.FromBytes(content).String(),
		digest.SHA256.FromBytes(content).Encoded(), // as early versions wrote it
	} {
		tree, cleanup, err := manifests.Fetch(t.Context(), manifests.Artifact{URL: "http://x", Digest: d}, serving(content))
		if err != nil {
			t.Fatalf("%s: %v", d, err)
		}
		diff(t, "packed", names(t, tree, "apps"))
		diff(t, "packed", names(t, tree, ".github"))
		if err := cleanup(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(tree.Root()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("still there: %v", err)
		}
	}
}

func TestFetchRefuses(t *testing.T) {
	tempDir(t)
	file := archivetar.Header{Typeflag: archivetar.TypeReg, Name: "a.yaml"}
	good := pack(t, file)
	escape := pack(t, archivetar.Header{Typeflag: archivetar.TypeReg, Name: "../a.yaml"})
	absolute := pack(t, archivetar.Header{Typeflag: archivetar.TypeReg, Name: "/a.yaml"})
	device := pack(t, archivetar.Header{Typeflag: archivetar.TypeFifo, Name: "a.yaml"})
	refused := errors.New("403 denied")
	for name, tc := range map[string]struct {
		digest string
		get    func(context.Context, string) (io.ReadCloser, error)
		want   string
	}{
		"no digest":      {"", serving(good), "it has no digest"},
		"bad digest":     {"sha256:xyz", serving(good), `digest "sha256:xyz": invalid checksum digest length`},
		"unknown digest": {"md5:00", serving(good), `digest "md5:00": unsupported digest algorithm`},
		"other content":  {digest.FromString("x").String(), serving(good), "has the digest " + digest.FromBytes(good).String() + ", want " + digest.FromString("x").String()},
		"not an archive": {digest.FromString("x").String(), serving([]byte("x")), "requires gzip-compressed body"},
		"escape":         {digest.FromBytes(escape).String(), serving(escape), `tar contained invalid name error "../a.yaml"`},
		"absolute":       {digest.FromBytes(absolute).String(), serving(absolute), `tar contained invalid name error "/a.yaml"`},
		"device":         {digest.FromBytes(device).String(), serving(device), "unsupported file type"},
		"half of it": {digest.FromBytes(good).String(), func(context.Context, string) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(good[:10]), failing{})), nil
		}, "connection reset"},
		"refused": {digest.FromBytes(good).String(), func(context.Context, string) (io.ReadCloser, error) { return nil, refused }, "403 denied"},
	} {
		tree, cleanup, err := manifests.Fetch(t.Context(), manifests.Artifact{URL: "http://x/a.tar.gz", Digest: tc.digest}, tc.get)
		if err == nil || tree != nil || cleanup != nil {
			t.Errorf("%s: %v %v", name, tree, err)
			continue
		}
		if got := err.Error(); !strings.HasPrefix(got, "artifact http://x/a.tar.gz") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
		if _, ok := errors.AsType[*manifests.DigestError](err); ok != (name == "other content") {
			t.Errorf("%s: %T", name, err)
		}
		if name == "refused" && !errors.Is(err, refused) {
			t.Error("the cause is lost")
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }
