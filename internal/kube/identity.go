package kube

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
)

// identity names one run of standup in a lock: host/pid/process/run. The
// process part is what makes a pid that was given out again a different one,
// and a pid of another container not one of ours.
type identity struct {
	host    string
	pid     int
	process string
	run     string
}

// Identity returns the name under which this process holds a lock; run
// distinguishes runs within it, and is made up where it is empty.
func Identity(run string) string {
	if run == "" {
		var random [4]byte
		_, _ = rand.Read(random[:]) // never fails, by its contract
		run = hex.EncodeToString(random[:])
	}
	return identity{host: hostname(), pid: os.Getpid(), process: processMark(os.Getpid()), run: run}.String()
}

// String is what the Lease holds.
func (i identity) String() string {
	return strings.Join([]string{i.host, strconv.Itoa(i.pid), i.process, i.run}, "/")
}

// parseIdentity returns false for what another program wrote.
func parseIdentity(text string) (identity, bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return identity{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil || pid <= 0 {
		return identity{}, false
	}
	return identity{host: parts[0], pid: pid, process: parts[2], run: parts[3]}, true
}

// gone reports whether the holder was a process of this machine and has ended:
// killed, as it would have released the lock otherwise. False when in doubt.
func (i identity) gone() bool {
	return i.host == hostname() && sameMachine(i.process) && !runs(i.pid, i.process)
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}
