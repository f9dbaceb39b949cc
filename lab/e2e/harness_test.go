// Package e2e holds the promises that standup makes about live clusters: each
// scenario is one, named as a sentence, on a real API server with the real
// Flux controllers. It runs the built program and looks at its exit code, its
// output and the cluster; nothing of the product is imported.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/lab"
)

// program is the built standup; TestMain makes it.
var program string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// testMain takes the program from $STANDUP_BIN, or builds it.
func testMain(m *testing.M) int {
	if program = os.Getenv("STANDUP_BIN"); program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "standup-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	program = filepath.Join(dir, "standup")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build standup: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// start brings up a cluster for one scenario.
func start(t *testing.T) *lab.Cluster {
	t.Helper()
	c, err := lab.Start(t.Context(), lab.Options{})
	if err != nil {
		t.Fatalf("start the lab: %v", err)
	}
	t.Cleanup(c.Stop)
	return c
}

// files reads a tree in txtar form.
func files(archive string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return tree
}

// example is one of the example trees.
func example(t *testing.T, c *lab.Cluster, name string) fs.FS {
	t.Helper()
	tree, err := c.Rehome(os.DirFS(filepath.Join("..", "..", "examples", name)), "fleet")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// push commits a tree and returns its revision.
func push(t *testing.T, c *lab.Cluster, tree fs.FS) string {
	t.Helper()
	revision, err := c.Push(t.Context(), "fleet", tree)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// cold pushes a tree and leaves every Kustomization of it suspended and never
// reconciled.
func cold(t *testing.T, c *lab.Cluster, tree fs.FS, path string) string {
	t.Helper()
	revision := push(t, c, tree)
	if err := c.Bootstrap(t.Context(), lab.BootstrapOptions{Path: path, Suspended: true}); err != nil {
		t.Fatal(err)
	}
	return revision
}

// result is how one run of the program ended.
type result struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// ran is a program under way.
type ran struct {
	cmd            *exec.Cmd
	state          string // its XDG_STATE_HOME
	stdout, stderr bytes.Buffer
	began          time.Time
}

// launch starts standup with the kubeconfig.
func launch(t *testing.T, kubeconfig string, args ...string) *ran {
	t.Helper()
	r := &ran{cmd: exec.CommandContext(t.Context(), program, args...), state: t.TempDir(), began: time.Now()}
	r.cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "XDG_STATE_HOME=" + r.state, "PATH=" + os.Getenv("PATH")}
	r.cmd.Dir = t.TempDir()
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	return r
}

// piped is a program whose output is read while it runs.
type piped struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// launchPiped starts standup and hands out its standard output, line by line.
func launchPiped(t *testing.T, kubeconfig string, args ...string) *piped {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "XDG_STATE_HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	cmd.Dir = t.TempDir()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &piped{cmd: cmd, lines: bufio.NewScanner(out)}
}

// checkoutOf writes a tree in txtar form to a directory.
func checkoutOf(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, files(archive)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// underWay waits until the run has begun to be recorded: it has the lock and a
// plan, and handles signals.
func (r *ran) underWay(t *testing.T, c *lab.Cluster) {
	t.Helper()
	eventually(t, c, "a run under way", func() bool {
		found, err := filepath.Glob(filepath.Join(r.state, "standup", "runs", "*.jsonl"))
		return err == nil && len(found) > 0
	})
}

// wait returns when the program has ended.
func (r *ran) wait(t *testing.T) result {
	t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{code: r.cmd.ProcessState.ExitCode(), stdout: r.stdout.String(), stderr: r.stderr.String(), took: time.Since(r.began)}
}

// standup runs the program to its end. Nothing here may hang: a run that is
// not over after four minutes is killed and fails the scenario.
func standup(t *testing.T, kubeconfig string, args ...string) result {
	t.Helper()
	r := launch(t, kubeconfig, args...)
	timer := time.AfterFunc(4*time.Minute, func() { _ = r.cmd.Process.Kill() })
	defer timer.Stop()
	return r.wait(t)
}

// exits checks the exit code, and shows the output when it is another.
func (r result) exits(t *testing.T, code int) {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d after %s, want %d\nstdout:\n%s\nstderr:\n%s", r.code, r.took, code, r.stdout, r.stderr)
	}
}

// says checks that the output, on either stream, has all of the words.
func (r result) says(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(r.stdout, w) && !strings.Contains(r.stderr, w) {
			t.Errorf("nothing says %q\nstdout:\n%s\nstderr:\n%s", w, r.stdout, r.stderr)
		}
	}
}

// within checks that the run took no longer than d. Only bounds that are far
// from the expected time belong here: machines are shared and noisy.
func (r result) within(t *testing.T, d time.Duration) {
	t.Helper()
	if r.took > d {
		t.Errorf("took %s, more than %s\nstderr:\n%s", r.took, d, r.stderr)
	}
}

// write puts a file beside the scenario and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// order writes a TIER_ORDER file; tiers is its list, as YAML.
func order(t *testing.T, rest string) string {
	t.Helper()
	return write(t, "TIER_ORDER.yaml", "apiVersion: standup/v1\nkind: TierOrder\ncluster: lab\n"+rest)
}

// kustomization reads one from flux-system.
func kustomization(t *testing.T, c *lab.Cluster, name string) *unstructured.Unstructured {
	t.Helper()
	k, err := c.Get(t.Context(), lab.Kustomizations(), lab.FluxNamespace, name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// suspended reports spec.suspend.
func suspended(k *unstructured.Unstructured) bool {
	on, _, _ := unstructured.NestedBool(k.Object, "spec", "suspend")
	return on
}

// readyAt checks that every Kustomization of the cluster is Ready at the
// revision and not suspended.
func readyAt(t *testing.T, c *lab.Cluster, revision string, names ...string) {
	t.Helper()
	for _, name := range names {
		k := kustomization(t, c, name)
		status, reason, message := lab.Condition(k, "Ready")
		applied, _, _ := unstructured.NestedString(k.Object, "status", "lastAppliedRevision")
		if status != "True" || applied != revision || suspended(k) {
			t.Errorf("%s: Ready=%s (%s: %s) at %s, suspended %v; want Ready at %s", name, status, reason, message, applied, suspended(k), revision)
		}
	}
}

// events reads the JSON lines of a run.
func events(t *testing.T, r result) []map[string]any {
	t.Helper()
	var out []map[string]any
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	for dec.More() {
		var e map[string]any
		if err := dec.Decode(&e); err != nil {
			t.Fatalf("event stream: %v\n%s", err, r.stdout)
		}
		out = append(out, e)
	}
	return out
}

// eventually polls for up to a minute until done says true; want says what was
// hoped for.
func eventually(t *testing.T, c *lab.Cluster, want string, done func() bool) {
	t.Helper()
	const within = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	if err := c.WaitFor(ctx, func() (bool, error) { return done(), nil }); err != nil {
		t.Fatalf("%s: not within %s", want, within)
	}
}
