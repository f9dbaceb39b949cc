package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// program is the built standup; TestMain makes it.
var program string

// result is what is used here of the public form of a rehearsal.
type result struct {
	Kustomizations []modelled `json:"kustomizations"`
	Findings       []finding  `json:"findings"`
}

type modelled struct {
	Namespace  string  `json:"namespace"`
	Name       string  `json:"name"`
	Verdict    string  `json:"verdict"`
	Class      string  `json:"class"`
	BlockedBy  *string `json:"blockedBy"`
	ReadyAfter struct {
		Flux *string `json:"flux"`
	} `json:"readyAfter"`
}

func (m modelled) key() string { return m.Namespace + "/" + m.Name }

type finding struct {
	Verdict       string `json:"verdict"`
	Class         string `json:"class"`
	Kustomization string `json:"kustomization"`
	Object        *struct {
		Kind string `json:"kind"`
	} `json:"object"`
	Missing []struct {
		Kind string `json:"kind"`
	} `json:"missing"`
	Message string `json:"message"`
}

// rehearse runs the model on a tree, as a person would: with the program, in a
// checkout.
func rehearse(ctx context.Context, t *tree) (*result, error) {
	dir, err := os.MkdirTemp("", "standup-differential-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	checkout := filepath.Join(dir, "checkout")
	if err := t.checkout(checkout); err != nil {
		return nil, err
	}
	args := []string{"rehearse", "--path", checkout, "--entry", t.entry, "-o", "json"}
	for _, kinds := range t.seeded {
		args = append(args, "--seeded", kinds)
	}
	if t.baseline != "" {
		file := filepath.Join(dir, "baseline.yaml")
		if err := os.WriteFile(file, []byte("apiVersion: standup/v1\nkind: Baseline\n"+t.baseline+"\n"), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "--baseline", file)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + dir, "HOME=" + dir}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
		return nil, fmt.Errorf("rehearse %s: %w\n%s", t.name, err, stderr.String())
	}
	r := &result{}
	if err := json.Unmarshal(stdout.Bytes(), r); err != nil {
		return nil, fmt.Errorf("rehearse %s: %w\n%s", t.name, err, stdout.String())
	}
	return r, nil
}

// ready are the Kustomizations that become Ready by what the model says.
func (r *result) ready() []string {
	var names []string
	for _, k := range r.Kustomizations {
		if k.claim() == claimsReady {
			names = append(names, k.key())
		}
	}
	return names
}

// claim is what a verdict says about the end.
type claim int

const (
	claimsNothing claim = iota
	claimsReady
	claimsNever
)

func (m modelled) claim() claim {
	switch m.Verdict {
	case "OK", "HAZARD", "RETRY", "RACE":
		return claimsReady
	case "DEADLOCK", "STALL":
		// Something in its set never comes; it is Ready itself where it does not look.
		if m.ReadyAfter.Flux != nil {
			return claimsReady
		}
		return claimsNever
	case "PRECONDITION":
		if m.ReadyAfter.Flux == nil {
			return claimsNever
		}
	}
	return claimsNothing
}
