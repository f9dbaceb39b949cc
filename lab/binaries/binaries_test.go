package binaries

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestVersionHashChangesWithAModule(t *testing.T) {
	src := t.TempDir()
	file := filepath.Join(src, "etcd", "go.mod")
	write := func(text string) string {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sum, err := versionHash(src)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	first := write("module a\n")
	if again := write("module a\n"); again != first {
		t.Errorf("the same files gave %s and %s", first, again)
	}
	if other := write("module b\n"); other == first {
		t.Error("another go.mod gave the same hash")
	}
}

func TestKubebuilderAssetsWinWhenBothAreThere(t *testing.T) {
	assets := t.TempDir()
	t.Setenv("KUBEBUILDER_ASSETS", assets)
	if got := locate("/cache").Etcd; got != "/cache/etcd" {
		t.Errorf("with an empty directory: got %s", got)
	}
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if err := os.WriteFile(filepath.Join(assets, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := locate("/cache"); got.Etcd != filepath.Join(assets, "etcd") || got.APIServer != filepath.Join(assets, "kube-apiserver") {
		t.Errorf("got %s and %s", got.Etcd, got.APIServer)
	}
}

func TestCacheDirWithoutHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "STANDUP_LAB_BIN"} {
		t.Setenv(name, "")
	}
	src, err := sourceDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := cacheDir(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(filepath.Dir(src), ".bin"); filepath.Dir(dir) != want {
		t.Errorf("got %s, want a directory in %s", dir, want)
	}
}

func TestLockIsForOneAndWaitsForCtx(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lock(ctx, path, t.Logf); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: got %v, want the deadline", err)
	}
	unlock()
	again, err := lock(t.Context(), path, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	again()
}
