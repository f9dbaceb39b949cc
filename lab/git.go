package lab

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/lab/internal/gitserver"
)

// AgeKeyName is the file in the root of a tree that Push takes for a throwaway
// age key: it becomes the Secret flux-system/sops-age and is pushed like any
// other file.
const AgeKeyName = "lab-age.agekey"

// Push makes one commit on branch main of a repository whose tree is exactly
// the given one, and returns its revision as Flux writes it: main@sha1:<hex>.
// The repository is made if need be.
func (c *Cluster) Push(ctx context.Context, repo string, tree fs.FS) (revision string, err error) {
	hash, err := c.git.Push(ctx, repo, tree)
	if err != nil {
		return "", err
	}
	if key, err := fs.ReadFile(tree, AgeKeyName); err == nil && c.opts.AgeKeyFile == "" {
		if err := c.applyAgeKey(ctx, key); err != nil {
			return "", err
		}
	}
	return gitserver.Branch + "@sha1:" + hash, nil
}

// RepoURL is the address of a repository, for a GitRepository's spec.url.
func (c *Cluster) RepoURL(repo string) string { return c.git.URL(repo) }

// RequireAuth makes a repository answer 401, or work again.
func (c *Cluster) RequireAuth(repo string, on bool) {
	status := 0
	if on {
		status = http.StatusUnauthorized
	}
	c.git.Answer(repo, status)
}

// GitAnswer makes a repository answer every request with an HTTP status; 0
// makes it work again.
func (c *Cluster) GitAnswer(repo string, status int) { c.git.Answer(repo, status) }

func (c *Cluster) applyAgeKeyFile(ctx context.Context) error {
	if c.opts.AgeKeyFile == "" {
		return nil
	}
	key, err := os.ReadFile(c.opts.AgeKeyFile)
	if err != nil {
		return fmt.Errorf("age key: %w", err)
	}
	return c.applyAgeKey(ctx, key)
}

func (c *Cluster) applyAgeKey(ctx context.Context, key []byte) error {
	secret := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": "sops-age", "namespace": FluxNamespace},
		"stringData": map[string]any{"age.agekey": string(key)},
	}}
	return c.ApplyObjects(ctx, []*unstructured.Unstructured{secret})
}
