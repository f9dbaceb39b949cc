// Package differential holds the model of the rehearsal against reality: each
// tree is rehearsed, and played on a real API server with the real
// source-controller and kustomize-controller, and the two ends are compared for
// every Kustomization: who becomes Ready, who does not and on which message, and
// who before whom. A difference is a fault of the model, or something about
// Flux that nobody has written down.
//
// What is real: everything that a Kustomization is decided by. What is stood in,
// by the same catalogue as the model's: helm-controller, the operators of
// charts, workloads. There the suite shows that the two read the catalogue
// alike, and no more.
//
// All trees are played on one cluster. Namespaces, API groups and charts get a
// prefix in the lab's copy of a tree (see scope), and the timers of
// Kustomizations are cut short.
package differential

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

// testMain takes the program from $STANDUP_BIN, or builds it.
func testMain(m *testing.M) int {
	if program = os.Getenv("STANDUP_BIN"); program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "standup-differential-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	program = filepath.Join(dir, "standup")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build standup: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

func TestTheModelEndsAsTheControllersDo(t *testing.T) {
	trees := only(t, cases(t))
	for _, end := range start(t, trees).all(t.Context(), trees) {
		t.Run(end.tree.name, func(t *testing.T) { end.judge(t) })
	}
}

// count is how many trees are made up, and seed where the first begins: the
// seeds are successive. Another seed is for those who hunt.
const (
	count       = 100
	defaultSeed = 1
)

func TestTheModelEndsAsTheControllersDoOnRandomTrees(t *testing.T) {
	seed := uint64(defaultSeed)
	if text := os.Getenv("STANDUP_DIFFERENTIAL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("STANDUP_DIFFERENTIAL_SEED: %v", err)
		}
	}
	t.Logf("seeds %d to %d; STANDUP_DIFFERENTIAL_SEED sets the first", seed, seed+count-1)
	var trees []*tree
	for i := range uint64(count) {
		tr, err := generate(seed + i)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tr)
	}
	trees = only(t, trees)
	for _, end := range start(t, trees).all(t.Context(), trees) {
		t.Run(end.tree.name, func(t *testing.T) { end.judge(t) })
	}
}

// only leaves the trees whose name fits $STANDUP_DIFFERENTIAL_ONLY, a regular
// expression; without it, all.
func only(t *testing.T, trees []*tree) []*tree {
	t.Helper()
	fits, err := regexp.Compile(os.Getenv("STANDUP_DIFFERENTIAL_ONLY"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(trees, func(tr *tree) bool { return !fits.MatchString(tr.name) })
}

// judge fails the test for a difference that is not known, and for a known one
// that is gone.
func (p played) judge(t *testing.T) {
	t.Helper()
	if p.err != nil {
		t.Fatal(p.err)
	}
	diffs := compare(p.model, p.seen)
	t.Logf("took %s", p.took)
	reason := known[p.tree.name]
	switch {
	case reason != "" && len(diffs) == 0:
		t.Errorf("it is known to differ (%s), and agrees: take it out of the list", reason)
	case reason != "":
		t.Logf("known: %s", reason)
	}
	for _, d := range diffs {
		if reason != "" {
			t.Log(d)
			continue
		}
		t.Error(d)
	}
	if t.Failed() {
		t.Logf("seen:\n%s\nthe tree:\n%s", p.words(), p.tree.text())
	}
}
