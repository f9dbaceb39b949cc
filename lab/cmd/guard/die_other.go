//go:build !linux

package main

import "syscall"

// dieWithParent has no counterpart here: a guard that is itself killed with -9
// leaves its program behind.
func dieWithParent() *syscall.SysProcAttr { return nil }
