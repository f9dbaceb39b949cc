package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// start brings up a cluster that ends with the test.
func start(t *testing.T, opts Options) (context.Context, *Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	opts.Logf = t.Logf
	c, err := Start(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return ctx, c
}

// within is a context for one wait of a test.
func within(ctx context.Context, t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, d)
	t.Cleanup(cancel)
	return ctx
}

func configMaps() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
}

// tree makes a git tree of files.
func tree(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return out
}

// chain is a tree of n Kustomizations, each with one ConfigMap, each depending
// on the one before.
func chain(n int) fs.FS {
	files := map[string]string{}
	for i := 1; i <= n; i++ {
		depends := ""
		if i > 1 {
			depends = fmt.Sprintf("  dependsOn: [{name: t%02d}]\n", i-1)
		}
		files[fmt.Sprintf("clusters/prod/t%02d.yaml", i)] = fmt.Sprintf(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: t%02[1]d, namespace: flux-system}
spec:
  interval: 1h
  path: ./tiers/t%02[1]d
  prune: true
  wait: true
  sourceRef: {kind: GitRepository, name: flux-system}
%[2]s`, i, depends)
		files[fmt.Sprintf("tiers/t%02d/cm.yaml", i)] = fmt.Sprintf(
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: t%02d, namespace: default}\ndata: {n: %q}\n", i, strconv.Itoa(i))
	}
	return tree(files)
}

// waitReady waits until a Kustomization is Ready at a revision.
func waitReady(ctx context.Context, t *testing.T, c *Cluster, name, revision string) {
	t.Helper()
	last := "nothing"
	err := c.WaitFor(ctx, func() (bool, error) {
		obj, err := c.Get(ctx, Kustomizations(), FluxNamespace, name)
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		status, reason, message := Condition(obj, "Ready")
		last = status + "/" + reason + ": " + message
		return status == "True" && (revision == "" || strings.Contains(message, revision)), nil
	})
	if err != nil {
		t.Fatalf("Kustomization %s did not become Ready: %v (last seen %s)", name, err, last)
	}
}

func TestStartedClusterRunsFluxAndStopsClean(t *testing.T) {
	t.Parallel()
	// The second tier would otherwise wait 30 s for Flux to look again.
	ctx, c := start(t, Options{KustomizeController: []string{"--requeue-dependency=1s"}})
	pids := c.pids(t)
	if len(pids) != 4 {
		t.Errorf("got %d processes, want 4", len(pids))
	}
	report(t, pids)
	revision, err := c.Push(ctx, "fleet", chain(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Bootstrap(ctx, BootstrapOptions{Path: "./clusters/prod"}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	waitReady(within(ctx, t, time.Minute), t, c, "t02", revision)
	t.Logf("two tiers Ready at %s after %s", revision, time.Since(began).Round(10*time.Millisecond))
	if _, err := c.Get(ctx, configMaps(), "default", "t02"); err != nil {
		t.Error(err)
	}
	dir := c.Dir()
	began = time.Now()
	c.Stop()
	t.Logf("stopped in %s", time.Since(began).Round(time.Millisecond))
	for name, pid := range pids {
		if alive(pid) {
			t.Errorf("%s (%d) outlived Stop", name, pid)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s outlived Stop", dir)
	}
}

func TestTwoClustersSideBySide(t *testing.T) {
	t.Parallel()
	ctx, a := start(t, Options{NoControllers: true})
	_, b := start(t, Options{NoControllers: true})
	if err := a.Apply(ctx, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: only-in-a}\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Get(ctx, configMaps(), "default", "only-in-a"); err != nil {
		t.Error(err)
	}
	if _, err := b.Get(ctx, configMaps(), "default", "only-in-a"); !apierrors.IsNotFound(err) {
		t.Errorf("got %v in the other cluster, want NotFound", err)
	}
}

// TestNothingOutlivesKilledParent runs a cluster in a process of its own (this
// test binary again), kills that with -9, and looks for what is left.
func TestNothingOutlivesKilledParent(t *testing.T) {
	t.Parallel()
	const child = "LAB_TEST_CHILD"
	if os.Getenv(child) != "" {
		ctx, c := start(t, Options{})
		fmt.Printf("DIR %s\n", c.Dir())
		for name, pid := range c.pids(t) {
			fmt.Printf("PID %s %d\n", name, pid)
		}
		fmt.Println("UP")
		<-ctx.Done()
		return
	}
	ctx := within(t.Context(), t, 2*time.Minute)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestNothingOutlivesKilledParent$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dir, pids := "", map[string]int{}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "UP"; {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 2 && words[0] == "DIR":
			dir = words[1]
		case len(words) == 3 && words[0] == "PID":
			pids[words[1]], _ = strconv.Atoi(words[2])
		}
	}
	if len(pids) != 4 || dir == "" {
		t.Fatalf("the child did not come up: %v in %q", pids, dir)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	left := ""
	err = every(within(ctx, t, 10*time.Second), 50*time.Millisecond, func() (bool, error) {
		left = ""
		for name, pid := range pids {
			if alive(pid) {
				left += " " + name
			}
		}
		if _, err := os.Stat(dir); err == nil {
			left += " " + dir
		}
		return left == "", nil
	})
	if err != nil {
		t.Errorf("still there 10 s after kill -9:%s", left)
	}
}

// pids are the processes of the cluster.
func (c *Cluster) pids(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, name := range []string{"etcd", "kube-apiserver", KustomizeController, SourceController} {
		raw, err := os.ReadFile(c.Log(name) + ".pid")
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = pid
	}
	return out
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// report logs the memory of processes, where /proc tells.
func report(t *testing.T, pids map[string]int) {
	t.Helper()
	for name, pid := range pids {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return
		}
		for _, line := range strings.Split(string(raw), "\n") {
			if strings.HasPrefix(line, "VmRSS") {
				t.Logf("%s: %s", name, line)
			}
		}
	}
}
