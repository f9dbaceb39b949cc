// Package binaries builds and finds the programs that a lab cluster runs: etcd,
// kube-apiserver and the two Flux controllers, each from a tiny module of its
// own beside this file, with nothing but Go and the module proxy.
package binaries

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Set says where everything that a cluster runs is.
type Set struct {
	// Dir is the cache directory that holds what follows.
	Dir string
	// Etcd and APIServer are the control plane.
	Etcd, APIServer string
	// KustomizeController and SourceController are the real Flux controllers.
	KustomizeController, SourceController string
	// Guard keeps a program from outliving its parent.
	Guard string
	// CRDs is a directory of the Flux controllers' CustomResourceDefinitions.
	CRDs string
}

// Ensure returns the set, building what is missing. Progress goes to logf,
// which may be nil; a cold build is silent for minutes otherwise. Two calls at
// once, also from two processes, do the work once.
//
// The cache is $STANDUP_LAB_BIN if set, else a directory for this very set of
// versions beneath the user's cache directory, else beneath lab/.bin. Where
// $KUBEBUILDER_ASSETS holds etcd and kube-apiserver, those are used.
func Ensure(ctx context.Context, logf func(string, ...any)) (*Set, error) {
	if logf == nil {
		logf = func(string, ...any) {}
	}
	src, srcErr := sourceDir()
	dir, err := cacheDir(src, srcErr)
	if err != nil {
		return nil, err
	}
	set := locate(dir)
	if set.complete() {
		return set, nil
	}
	if srcErr != nil {
		return nil, fmt.Errorf("%s lacks programs and they cannot be built: %w", dir, srcErr)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cache for the lab's programs: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(dir, ".lock"), logf)
	if err != nil {
		return nil, err
	}
	defer unlock()
	b := &builder{src: src, dir: dir, logf: logf}
	if err := b.build(ctx, set); err != nil {
		return nil, err
	}
	return set, nil
}

// locate names the files of a set without asking whether they exist.
func locate(dir string) *Set {
	s := &Set{
		Dir:                 dir,
		Etcd:                filepath.Join(dir, "etcd"),
		APIServer:           filepath.Join(dir, "kube-apiserver"),
		KustomizeController: filepath.Join(dir, "kustomize-controller"),
		SourceController:    filepath.Join(dir, "source-controller"),
		Guard:               filepath.Join(dir, "guard"),
		CRDs:                filepath.Join(dir, "crds"),
	}
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	etcd, api := filepath.Join(assets, "etcd"), filepath.Join(assets, "kube-apiserver")
	if assets != "" && exists(etcd) && exists(api) {
		s.Etcd, s.APIServer = etcd, api
	}
	return s
}

func (s *Set) complete() bool {
	for _, f := range []string{s.Etcd, s.APIServer, s.KustomizeController, s.SourceController, s.Guard, s.CRDs} {
		if !exists(f) {
			return false
		}
	}
	return true
}

// sourceDir finds lab/binaries: beside this file as it was compiled, or, for a
// test binary that was built with -trimpath, from the working directory up.
func sourceDir() (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok && exists(file) {
		return filepath.Dir(file), nil
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		for _, cand := range []string{filepath.Join(dir, "lab", "binaries"), filepath.Join(dir, "binaries")} {
			if exists(filepath.Join(cand, "kube-apiserver", "go.mod")) {
				return cand, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the source of lab/binaries was not found; run this inside the repository")
		}
	}
}

func cacheDir(src string, srcErr error) (string, error) {
	if dir := os.Getenv("STANDUP_LAB_BIN"); dir != "" {
		return filepath.Abs(dir)
	}
	if srcErr != nil {
		return "", srcErr
	}
	sum, err := versionHash(src)
	if err != nil {
		return "", err
	}
	// UserCacheDir fails where HOME is not set, as in some CI runners.
	if user, err := os.UserCacheDir(); err == nil {
		return filepath.Join(user, "standup-lab", sum), nil
	}
	return filepath.Join(filepath.Dir(src), ".bin", sum), nil
}

// versionHash names the cache after everything that decides what is built, so
// a changed version is never mistaken for the one that is there.
func versionHash(src string) (string, error) {
	files, err := filepath.Glob(filepath.Join(src, "*", "go.*"))
	if err != nil {
		return "", fmt.Errorf("modules of the lab's programs: %w", err)
	}
	guard, err := filepath.Glob(filepath.Join(filepath.Dir(src), "cmd", "guard", "*.go"))
	if err != nil {
		return "", fmt.Errorf("source of the guard: %w", err)
	}
	files = append(files, guard...)
	slices.Sort(files)
	h := sha256.New()
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return "", fmt.Errorf("modules of the lab's programs: %w", err)
		}
		rel := strings.TrimPrefix(filepath.ToSlash(f), filepath.ToSlash(filepath.Dir(src)))
		_, _ = fmt.Fprintf(h, "%s %d\n%s", rel, len(raw), raw)
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}

// lock waits until no other process builds into the same directory.
func lock(ctx context.Context, path string, logf func(string, ...any)) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("build lock: %w", err)
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for waiting := false; ; waiting = true {
		// Asking again and again, and not a blocking call, lets ctx end the wait.
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			// Closing the file lets go of the lock, and so does the death of the process.
			return func() { _ = f.Close() }, nil
		}
		if !waiting {
			logf("another process is building the lab's programs; waiting for it")
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("build lock: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
