package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is how one program ran.
type process struct {
	code           int
	stdout, stderr []byte
	began, ended   time.Time
	cpu            time.Duration
	peak           int64 // bytes
}

// start runs a program to its end in a home and a group of its own; with ctx
// the whole group ends. Its error is that the program could not be run: an exit
// code other than 0 is none.
func start(ctx context.Context, kubeconfig, name string, args ...string) (process, error) {
	home, err := os.MkdirTemp("", "standup-bench-")
	if err != nil {
		return process{}, fmt.Errorf("run %s: %w", name, err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = home, &stdout, &stderr
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + home, "XDG_STATE_HOME=" + home, "PATH=" + os.Getenv("PATH")}
	// A shell's children would outlive it, and hold its output open.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	p := process{began: time.Now()}
	if err := cmd.Start(); err != nil {
		return p, fmt.Errorf("run %s: %w", name, err)
	}
	peak := followPeak(cmd.Process.Pid)
	err = cmd.Wait()
	p.ended = time.Now()
	sampled := peak()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return p, fmt.Errorf("run %s: %w", name, err)
	}
	p.code, p.stdout, p.stderr = cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()
	p.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	p.peak = sampled
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && sampled == 0 {
		p.peak = maxRSS(usage)
	}
	return p, nil
}

// maxRSS is the peak of the resident memory in bytes. Linux counts in KiB.
func maxRSS(u *syscall.Rusage) int64 {
	if runtime.GOOS == "linux" {
		return u.Maxrss * 1024
	}
	return u.Maxrss
}

// followPeak reads the process's own high-water mark until the returned
// function is called, which says the last. Linux hands the ru_maxrss of the
// program that forks down to the one that is executed, so a small program
// started by this one would seem to be as big as this one; VmHWM starts anew.
// It is 0 where there is no /proc.
func followPeak(pid int) func() int64 {
	stop, result := make(chan struct{}), make(chan int64, 1)
	go func() {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		var peak int64
		for {
			select {
			case <-stop:
				result <- peak
				return
			case <-ticker.C:
				raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
				if err == nil {
					peak = max(peak, highWater(string(raw)))
				}
			}
		}
	}()
	return func() int64 { close(stop); return <-result }
}

// highWater reads VmHWM of a /proc/PID/status, in bytes.
func highWater(status string) int64 {
	for l := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(l, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return kib * 1024
			}
		}
	}
	return 0
}
