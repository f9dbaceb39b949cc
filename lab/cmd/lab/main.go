// Command lab builds the programs of a lab cluster and brings one up.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/standup-sh/standup/lab"
	"github.com/standup-sh/standup/lab/binaries"
)

const usage = `lab is a real Kubernetes control plane with real Flux controllers on loopback.

  lab build                    build etcd, kube-apiserver and the Flux controllers
  lab up [--path DIR --entry PATH [--suspend]]
                               bring up a cluster, print the path of its kubeconfig,
                               and keep it until interrupted
  lab demo --standup PROGRAM   stand a cold example cluster up with standup
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run does what the arguments say and returns the exit code: 0, 1 for a
// failure, 2 for wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		_, _ = fmt.Fprint(stderr, usage)
		return 2
	}
	began := time.Now()
	logf := func(format string, v ...any) {
		_, _ = fmt.Fprintf(stderr, "%6.1fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, v...))
	}
	var err error
	switch args[0] {
	case "build":
		err = build(ctx, args[1:], stdout, stderr, logf)
	case "up":
		err = up(ctx, args[1:], stdout, stderr, logf)
	case "demo":
		err = demo(ctx, args[1:], stdout, stderr, logf)
	case "help", "-h", "--help":
		_, _ = fmt.Fprint(stdout, usage)
		return 0
	default:
		err = usageError(fmt.Sprintf("there is no command %q", args[0]))
	}
	return report(err, stderr)
}

// usageError is a mistake on the command line.
type usageError string

// Error is the mistake.
func (e usageError) Error() string { return string(e) }

func report(err error, stderr io.Writer) int {
	switch err := err.(type) { //nolint:errorlint // usage errors are never wrapped
	case nil:
		return 0
	case usageError:
		_, _ = fmt.Fprintf(stderr, "lab: %v\n\n%s", err, usage)
		return 2
	default:
		_, _ = fmt.Fprintf(stderr, "lab: %v\n", err)
		return 1
	}
}

func parse(fs *flag.FlagSet, args []string) error {
	fs.SetOutput(io.Discard)
	if err := fs.Parse(args); err != nil {
		return usageError(err.Error())
	}
	if fs.NArg() > 0 {
		return usageError("unexpected argument: " + strings.Join(fs.Args(), " "))
	}
	return nil
}

func build(ctx context.Context, args []string, stdout, _ io.Writer, logf func(string, ...any)) error {
	if err := parse(flag.NewFlagSet("build", flag.ContinueOnError), args); err != nil {
		return err
	}
	set, err := binaries.Ensure(ctx, logf)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(stdout, set.Dir)
	return nil
}

func up(ctx context.Context, args []string, stdout, _ io.Writer, logf func(string, ...any)) error {
	fs := flag.NewFlagSet("up", flag.ContinueOnError)
	path := fs.String("path", "", "a directory to push as the git tree")
	entry := fs.String("entry", "./", "the path of the root Kustomization in it")
	suspend := fs.Bool("suspend", false, "leave every Kustomization suspended, and never yet reconciled")
	age := fs.String("age-key", "", "a file with an age key for the Secret flux-system/sops-age")
	keep := fs.Bool("keep", false, "leave the working directory in place")
	if err := parse(fs, args); err != nil {
		return err
	}
	c, err := lab.Start(ctx, lab.Options{Logf: logf, AgeKeyFile: *age, KeepDir: *keep})
	if err != nil {
		return err
	}
	defer c.Stop()
	if *path != "" {
		tree, err := c.Rehome(os.DirFS(*path), "fleet")
		if err != nil {
			return err
		}
		revision, err := c.Push(ctx, "fleet", tree)
		if err != nil {
			return err
		}
		logf("pushed %s as %s", *path, revision)
		if err := c.Bootstrap(ctx, lab.BootstrapOptions{Path: *entry, Suspended: *suspend}); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(stdout, c.Kubeconfig())
	logf("up; Ctrl-C takes it down. Logs are in %s", c.Dir())
	<-ctx.Done()
	return nil
}
