// Package gitserver keeps bare git repositories and serves them over smart HTTP
// on loopback. It runs the git program, which knows the protocol best.
package gitserver

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Branch is the one branch that every repository has.
const Branch = "main"

// Server serves the repositories beneath one directory.
type Server struct {
	dir string
	url string

	mu     sync.Mutex
	closed map[string]int // repository to the HTTP status it answers with
}

// Start serves until ctx ends.
func Start(ctx context.Context, dir string) (*Server, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("the lab's git server needs git: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("git server: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("git server: %w", err)
	}
	s := &Server{dir: dir, url: "http://" + l.Addr().String(), closed: map[string]int{}}
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }()
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	return s, nil
}

// URL is the address of a repository.
func (s *Server) URL(repo string) string { return s.url + "/" + repo + ".git" }

// Answer makes a repository answer every request with an HTTP status, such as
// 401 or 503; 0 makes it work again.
func (s *Server) Answer(repo string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed[repo] = status
}

// validRepo keeps names from leaving the directory.
func validRepo(repo string) error {
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`).MatchString(repo) {
		return fmt.Errorf("git repository %q: a name is of lower case letters, digits and dashes", repo)
	}
	return nil
}

func (s *Server) path(repo string) string { return filepath.Join(s.dir, repo+".git") }

// ServeHTTP speaks the read half of git's smart HTTP protocol.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	repo, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git/")
	if _, err := os.Stat(s.path(repo)); !ok || validRepo(repo) != nil || err != nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	status := s.closed[repo]
	s.mu.Unlock()
	if status != 0 {
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="lab"`)
		}
		http.Error(w, http.StatusText(status), status)
		return
	}
	switch {
	case rest == "info/refs" && r.URL.Query().Get("service") == "git-upload-pack":
		s.advertise(w, r, repo)
	case rest == "git-upload-pack" && r.Method == http.MethodPost:
		s.upload(w, r, repo)
	default:
		http.Error(w, "only git fetch over smart HTTP is served", http.StatusForbidden)
	}
}

func (s *Server) advertise(w http.ResponseWriter, r *http.Request, repo string) {
	w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
	w.Header().Set("Cache-Control", "no-cache")
	// The protocol starts with a packet that names the service, and a flush.
	if r.Header.Get("Git-Protocol") != "version=2" {
		_, _ = io.WriteString(w, "001e# service=git-upload-pack\n0000")
	}
	s.uploadPack(w, r, nil, "--stateless-rpc", "--advertise-refs", s.path(repo))
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request, repo string) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		zr, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = zr
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	w.Header().Set("Cache-Control", "no-cache")
	s.uploadPack(w, r, body, "--stateless-rpc", s.path(repo))
}

func (s *Server) uploadPack(w io.Writer, r *http.Request, in io.Reader, args ...string) {
	cmd := exec.CommandContext(r.Context(), "git", append([]string{"upload-pack"}, args...)...)
	cmd.Env = environment()
	if v := r.Header.Get("Git-Protocol"); v != "" {
		cmd.Env = append(cmd.Env, "GIT_PROTOCOL="+v)
	}
	cmd.Stdin, cmd.Stdout = in, w
	// The headers are gone already: a failure shows as a short answer.
	_ = cmd.Run()
}

// environment is free of the user's git configuration, which could rewrite
// URLs, sign commits or refuse the directory.
func environment() []string {
	return append(os.Environ(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	)
}

// git runs git in a repository and returns its output.
func (s *Server) git(ctx context.Context, in io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = environment()
	cmd.Stdin = in
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
