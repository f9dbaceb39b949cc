package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/standup-sh/standup/lab"
)

// demoEntry is the overlay of the example that the demo stands up.
const demoEntry = "clusters/prod"

// demo brings up a cluster with the example tree, cold and suspended, and runs
// standup on it until it ends. The demo's outcome is standup's.
func demo(ctx context.Context, args []string, stdout, stderr io.Writer, logf func(string, ...any)) error {
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	standup := fs.String("standup", "", "the standup program")
	path := fs.String("path", filepath.Join("..", "examples", "homelab-incident"), "the example tree")
	if err := parse(fs, args); err != nil {
		return err
	}
	if *standup == "" {
		return usageError("demo needs --standup PROGRAM")
	}
	program, err := filepath.Abs(*standup)
	if err != nil {
		return err
	}
	c, err := lab.Start(ctx, lab.Options{Logf: logf})
	if err != nil {
		return err
	}
	defer c.Stop()
	tree, err := c.Rehome(os.DirFS(*path), "fleet")
	if err != nil {
		return err
	}
	if _, err := c.Push(ctx, "fleet", tree); err != nil {
		return err
	}
	if err := c.Bootstrap(ctx, lab.BootstrapOptions{Path: demoEntry, Suspended: true}); err != nil {
		return err
	}
	logf("a cold cluster: every Kustomization exists, all are suspended, none was ever reconciled")
	order := filepath.Join(*path, "TIER_ORDER.yaml")
	for _, command := range [][]string{
		{"status", "-f", order},
		{"resume", "-f", order},
		{"resume", "-f", order}, // once more: there is nothing to do
	} {
		_, _ = fmt.Fprintf(stderr, "\n$ standup %s %s\n\n", command[0], "-f "+filepath.Base(order))
		if err := runStandup(ctx, program, c.Kubeconfig(), command, stdout, stderr); err != nil {
			return err
		}
	}
	return nil
}

func runStandup(ctx context.Context, program, kubeconfig string, args []string, stdout, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("standup %s ended with exit code %d", args[0], exit.ExitCode())
	}
	return err
}
