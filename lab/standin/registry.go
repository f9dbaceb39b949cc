package standin

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// errNotServed means that the registry has nothing at the address.
var errNotServed = errors.New("not served by the lab's registry")

// serveRegistry answers as an OCI registry in which every repository has every
// tag, and every tag is the same small artifact.
func serveRegistry(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
	path := strings.TrimPrefix(r.URL.Path, "/v2/")
	layer, err := emptyLayer()
	if err != nil {
		return err
	}
	config := []byte(`{"rootfs":{"type":"layers","diff_ids":[]}}`)
	switch {
	case path == "":
		return nil
	case strings.HasSuffix(path, "/tags/list"):
		// A spread of versions, for those who ask for a range.
		return json.NewEncoder(w).Encode(map[string]any{
			"name": strings.TrimSuffix(path, "/tags/list"),
			"tags": []string{"0.1.0", "1.0.0", "1.99.0", "2.0.0", "3.0.0", "latest"},
		})
	case strings.Contains(path, "/manifests/"):
		return writeManifest(w, r, config, layer)
	case strings.HasSuffix(path, "/blobs/"+digest(config)):
		return writeBlob(w, r, config)
	case strings.HasSuffix(path, "/blobs/"+digest(layer)):
		return writeBlob(w, r, layer)
	}
	return fmt.Errorf("%s: %w", r.URL.Path, errNotServed)
}

func writeManifest(w http.ResponseWriter, r *http.Request, config, layer []byte) error {
	const manifestType = "application/vnd.oci.image.manifest.v1+json"
	blob := func(mediaType string, data []byte) map[string]any {
		return map[string]any{"mediaType": mediaType, "digest": digest(data), "size": len(data)}
	}
	raw, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": manifestType,
		"config": blob("application/vnd.cncf.helm.config.v1+json", config),
		"layers": []any{
			blob("application/vnd.cncf.helm.chart.content.v1.tar+gzip", layer),
			blob("application/vnd.cncf.flux.content.v1.tar+gzip", layer),
		},
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", manifestType)
	w.Header().Set("Docker-Content-Digest", digest(raw))
	return writeBlob(w, r, raw)
}

func writeBlob(w http.ResponseWriter, r *http.Request, data []byte) error {
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(data)
	return err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// emptyLayer is an archive with one file in it; the same bytes every time.
func emptyLayer() ([]byte, error) {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	tw := tar.NewWriter(zw)
	text := []byte("made by the lab\n")
	if err := tw.WriteHeader(&tar.Header{Name: "README", Mode: 0o644, Size: int64(len(text))}); err != nil {
		return nil, err
	}
	if _, err := tw.Write(text); err != nil {
		return nil, err
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// recorder keeps an answer until it can be written to a raw connection.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: http.StatusOK} }

// Header is the header of the answer.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write keeps a part of the body.
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

func (r *recorder) writeTo(w io.Writer, req *http.Request) error {
	resp := http.Response{
		StatusCode: r.status, ProtoMajor: 1, ProtoMinor: 1, Request: req, Header: r.header,
		Body: io.NopCloser(&r.body), ContentLength: int64(r.body.Len()),
	}
	if n, err := strconv.ParseInt(r.header.Get("Content-Length"), 10, 64); err == nil && req.Method == http.MethodHead {
		resp.ContentLength = n
	}
	return resp.Write(w)
}
