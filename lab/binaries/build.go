package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// builder compiles the programs of one set into dir.
type builder struct {
	src, dir string
	logf     func(string, ...any)
}

// program is one thing to compile: a package of a module beside this file.
type program struct {
	name, module, pkg, target string
	ldflags                   func(ctx context.Context, module string) (string, error)
}

func (b *builder) build(ctx context.Context, set *Set) error {
	mod := func(name string) string { return filepath.Join(b.src, name) }
	programs := []program{
		{name: "guard", module: filepath.Dir(b.src), pkg: "./cmd/guard", target: set.Guard},
		{name: "etcd", module: mod("etcd"), pkg: "go.etcd.io/etcd/server/v3", target: set.Etcd},
		{
			name: "kustomize-controller", module: mod("kustomize-controller"),
			pkg: "github.com/fluxcd/kustomize-controller", target: set.KustomizeController,
		},
		{
			name: "source-controller", module: mod("source-controller"),
			pkg: "github.com/fluxcd/source-controller", target: set.SourceController,
		},
		{
			name: "kube-apiserver", module: mod("kube-apiserver"),
			pkg: "k8s.io/kubernetes/cmd/kube-apiserver", target: set.APIServer, ldflags: apiServerVersion,
		},
	}
	for i, p := range programs {
		if exists(p.target) {
			b.logf("%s is there (%d/%d)", p.name, i+1, len(programs))
			continue
		}
		b.logf("building %s (%d/%d)", p.name, i+1, len(programs))
		start := time.Now()
		if err := b.compile(ctx, p); err != nil {
			return err
		}
		b.logf("built %s in %s", p.name, time.Since(start).Round(time.Second))
	}
	return b.copyCRDs(ctx, set.CRDs)
}

// compile builds to a temporary name first: a build that is killed must not
// leave half a program behind for the next one to find.
func (b *builder) compile(ctx context.Context, p program) error {
	tmp := fmt.Sprintf("%s.tmp%d", filepath.Join(b.dir, p.name), os.Getpid())
	defer func() { _ = os.Remove(tmp) }()
	args := []string{"build", "-o", tmp}
	if p.ldflags != nil {
		flags, err := p.ldflags(ctx, p.module)
		if err != nil {
			return err
		}
		args = append(args, "-ldflags", flags)
	}
	stop := b.heartbeat(ctx, p.name)
	_, err := goTool(ctx, p.module, append(args, p.pkg)...)
	stop()
	if err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	if err := os.Rename(tmp, p.target); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	return nil
}

// heartbeat says every half minute that the build is alive: CI systems kill
// jobs that are silent for too long.
func (b *builder) heartbeat(ctx context.Context, name string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		start := time.Now()
		tick := time.NewTicker(30 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				b.logf("still building %s after %s", name, time.Since(start).Round(time.Second))
			}
		}
	}()
	return cancel
}

// copyCRDs puts the controllers' CRDs beside the programs, so that starting a
// cluster needs neither the module cache nor the go tool.
func (b *builder) copyCRDs(ctx context.Context, target string) error {
	if exists(target) {
		return nil
	}
	tmp := fmt.Sprintf("%s.tmp%d", target, os.Getpid())
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return fmt.Errorf("copy the Flux CRDs: %w", err)
	}
	for _, name := range []string{"kustomize-controller", "source-controller"} {
		dir, err := goTool(ctx, filepath.Join(b.src, name), "list", "-m", "-f", "{{.Dir}}", "github.com/fluxcd/"+name)
		if err != nil {
			return fmt.Errorf("find the CRDs of %s: %w", name, err)
		}
		if dir == "" {
			return fmt.Errorf("find the CRDs of %s: its module is not in the module cache; run go mod download in %s",
				name, filepath.Join(b.src, name))
		}
		files, err := filepath.Glob(filepath.Join(dir, "config", "crd", "bases", "*.yaml"))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("find the CRDs of %s: none in %s", name, dir)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				return fmt.Errorf("copy the Flux CRDs: %w", err)
			}
			if err := os.WriteFile(filepath.Join(tmp, filepath.Base(f)), raw, 0o644); err != nil {
				return fmt.Errorf("copy the Flux CRDs: %w", err)
			}
		}
	}
	if err := os.Rename(tmp, target); err != nil {
		return fmt.Errorf("copy the Flux CRDs: %w", err)
	}
	return nil
}

// apiServerVersion stamps the version into kube-apiserver: built from plain
// source it calls itself v0.0.0, which clients and controllers stumble over.
func apiServerVersion(ctx context.Context, module string) (string, error) {
	version, err := goTool(ctx, module, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return "", fmt.Errorf("version of kube-apiserver: %w", err)
	}
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) < 3 {
		return "", fmt.Errorf("version of kube-apiserver: %q is not a version", version)
	}
	const pkg = "k8s.io/component-base/version"
	return fmt.Sprintf("-X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s -X %[1]s.gitTreeState=clean",
		pkg, version, parts[0], parts[1]), nil
}

// goTool runs the go command in the module and returns its trimmed output.
func goTool(ctx context.Context, module string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly", "PWD="+module)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}
