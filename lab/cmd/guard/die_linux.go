package main

import "syscall"

// dieWithParent makes the kernel kill the program when the guard itself is
// killed, which no code of the guard could see to.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
