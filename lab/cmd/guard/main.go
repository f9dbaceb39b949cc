// Command guard runs one program and makes sure that it does not outlive the
// process that asked for it, not even when that process is killed with -9.
//
// It holds the read end of a pipe as its standard input. Nothing is ever
// written to it: the kernel closes the other end when the parent dies, however
// it dies, and that end of file is the order to kill.
//
//	guard [-pidfile FILE] PROGRAM [ARG...]   run, kill at end of file
//	guard -remove DIR                        at end of file remove a directory
//
// It is a program of its own, and not a hidden mode of the test binary, because
// a test binary has no place to put such a mode without an init function.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"
)

func main() { os.Exit(run()) }

func run() int {
	pidfile := flag.String("pidfile", "", "where to write the process id of the program")
	remove := flag.String("remove", "", "a directory to remove at end of file, instead of running a program")
	flag.Parse()
	if *remove != "" {
		untilEOF()
		return removeAll(*remove)
	}
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "guard: no program given")
		return 2
	}
	return guard(*pidfile, flag.Args())
}

// guard runs the program until it ends or the parent goes away.
func guard(pidfile string, argv []string) int {
	// On Linux the death signal of a child is tied to the thread that forked
	// it: without the lock Go could retire that thread, and the child with it.
	runtime.LockOSThread()
	// No context: the end of file is what ends the program.
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // see above
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = dieWithParent()
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "guard: start %s: %v\n", argv[0], err)
		return 127
	}
	if pidfile != "" {
		if err := os.WriteFile(pidfile, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
			fmt.Fprintf(os.Stderr, "guard: %v\n", err)
		}
	}
	go func() {
		untilEOF()
		// The data directory is thrown away, so there is nothing to be gentle for.
		_ = cmd.Process.Kill()
	}()
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1)
	}
	return 0
}

func untilEOF() {
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// removeAll tries for a while: the other guards of the cluster are killing
// their programs at this same moment, and those may still be writing.
func removeAll(dir string) int {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var err error
	for range 50 {
		if err = os.RemoveAll(dir); err == nil {
			if _, gone := os.Stat(dir); errors.Is(gone, os.ErrNotExist) {
				return 0
			}
		}
		<-tick.C
	}
	fmt.Fprintf(os.Stderr, "guard: remove %s: %v\n", dir, err)
	return 1
}
