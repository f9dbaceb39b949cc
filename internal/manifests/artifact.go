package manifests

import (
	"context"
	_ "crypto/sha256" // algorithms of artifact digests
	_ "crypto/sha512"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fluxcd/pkg/tar"
	"github.com/opencontainers/go-digest"
	_ "github.com/opencontainers/go-digest/blake3" // as above
)

// An artifact larger than this is refused. The controller has no limits, but it
// has a volume of its own; this runs beside other things.
const (
	maxDownload = 512 << 20
	maxUnpacked = 1 << 30
)

// Artifact is what the status of a source says of its artifact.
type Artifact struct {
	URL    string
	Digest string // algorithm:hex; sha256, sha384, sha512 or blake3
}

// DigestError says that what was downloaded is not what the source announced.
// Nothing of it was used.
type DigestError struct {
	URL       string
	Want, Got string
}

func (e *DigestError) Error() string {
	return fmt.Sprintf("artifact %s has the digest %s, want %s", e.URL, e.Got, e.Want)
}

// Fetch downloads an artifact by means of get, verifies it, and unpacks it into
// a temporary directory, which the returned function removes. The library's own
// fetcher brings an HTTP client with it, and cannot go through the API server.
func Fetch(
	ctx context.Context, a Artifact, get func(ctx context.Context, url string) (io.ReadCloser, error),
) (tree *Tree, cleanup func() error, err error) {
	want, err := parseDigest(a.Digest)
	if err != nil {
		return nil, nil, fmt.Errorf("artifact %s: %w", a.URL, err)
	}
	dir, err := os.MkdirTemp("", "standup-artifact-")
	if err != nil {
		return nil, nil, err
	}
	cleanup = func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, cleanup())
			tree, cleanup = nil, nil
		}
	}()
	packed, err := download(ctx, a.URL, want, get)
	if err != nil {
		return nil, cleanup, err
	}
	defer func() { err = errors.Join(err, packed.Close(), os.Remove(packed.Name())) }()
	// As in the controller, links are left out and not an error.
	if err := tar.Untar(packed, dir, tar.WithMaxUntarSize(maxUnpacked), tar.WithSkipSymlinks()); err != nil {
		return nil, cleanup, fmt.Errorf("artifact %s: %w", a.URL, err)
	}
	tree, err = Open(dir, AsArtifact())
	return tree, cleanup, err
}

func parseDigest(s string) (digest.Digest, error) {
	if s == "" {
		return "", errors.New("it has no digest")
	}
	if !strings.Contains(s, ":") {
		s = "sha256:" + s // what early versions of Flux wrote
	}
	d, err := digest.Parse(s)
	if err != nil {
		return "", fmt.Errorf("digest %q: %w", s, err)
	}
	return d, nil
}

// download writes the archive into a file, for it must be verified before the
// first byte of it is unpacked. The file is at its beginning.
func download(
	ctx context.Context, url string, want digest.Digest, get func(ctx context.Context, url string) (io.ReadCloser, error),
) (_ *os.File, err error) {
	body, err := get(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", url, err)
	}
	defer func() { _ = body.Close() }() // it was read to its end, or is of no use
	f, err := os.CreateTemp("", "standup-artifact-*.tar.gz")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	digester := want.Algorithm().Digester()
	n, err := io.Copy(io.MultiWriter(f, digester.Hash()), io.LimitReader(body, maxDownload+1))
	if err == nil && n > maxDownload {
		err = fmt.Errorf("it is larger than %d MiB", maxDownload>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", url, err)
	}
	if got := digester.Digest(); got != want {
		return nil, &DigestError{URL: url, Want: want.String(), Got: got.String()}
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}
