//go:build unix && !linux

package kube

import (
	"errors"
	"syscall"
)

// processMark has nothing to say: there is no cheap start time to be had.
func processMark(int) string { return "-" }

func sameMachine(mark string) bool { return mark == "-" }

// runs reports whether the pid is in use; by another process, perhaps, in
// which case the lock expires in its own time.
func runs(pid int, _ string) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
