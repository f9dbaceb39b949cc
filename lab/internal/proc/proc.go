// Package proc runs programs beneath a guard (see cmd/guard), so that none
// outlives the process that started it.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Spec says what to run.
type Spec struct {
	// Guard is the path of the guard program.
	Guard string
	// Name is used in errors and for the log and pid files.
	Name string
	// Path and Args are the program itself.
	Path string
	Args []string
	// Env is added to the environment of this process.
	Env []string
	// Log is the file that stdout and stderr are appended to; the process id is
	// written beside it, with the ending .pid.
	Log string
}

// Process is a running program.
type Process struct {
	spec  Spec
	leash io.WriteCloser
	done  chan struct{}
	err   error
}

// Start runs the program and returns at once. The program ends with ctx, or
// with Stop, or with this process, whichever comes first.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	out, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w", spec.Name, err)
	}
	defer func() { _ = out.Close() }() // the child has its own copy
	cmd := exec.CommandContext(ctx, spec.Guard, append([]string{"-pidfile", spec.Log + ".pid", spec.Path}, spec.Args...)...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), spec.Env...)
	return launch(spec, cmd)
}

// Janitor starts a guard that removes dir once this process is gone.
func Janitor(ctx context.Context, guard, dir string) (*Process, error) {
	return launch(Spec{Name: "janitor"}, exec.CommandContext(ctx, guard, "-remove", dir))
}

func launch(spec Spec, cmd *exec.Cmd) (*Process, error) {
	// A group of its own: Ctrl-C in a terminal goes to the parent, which then
	// takes the programs down in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	leash, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	// Killing the guard would leave its program to the kernel's mercy; letting
	// go of the leash makes the guard do the killing.
	cmd.Cancel = leash.Close
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	p := &Process{spec: spec, leash: leash, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stop kills the program and returns when it is gone. It may be called twice.
func (p *Process) Stop() {
	_ = p.leash.Close()
	<-p.done
}

// Pid is the process id of the program itself, not of its guard.
func (p *Process) Pid() (int, error) {
	raw, err := os.ReadFile(p.spec.Log + ".pid")
	if err != nil {
		return 0, fmt.Errorf("process id of %s: %w", p.spec.Name, err)
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(raw)))
	if err != nil {
		return 0, fmt.Errorf("process id of %s: %w", p.spec.Name, err)
	}
	return pid, nil
}

// Err says why the program is not what it should be: that it ended, with the
// last lines of its log. It is nil while the program runs.
func (p *Process) Err() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	return fmt.Errorf("%s ended (%w); its last words:\n%s", p.spec.Name, orClean(p.err), p.Tail(20))
}

func orClean(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// Tail is the last n lines of the log.
func (p *Process) Tail(n int) string {
	raw, err := os.ReadFile(p.spec.Log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-n):], []byte("\n")))
}
