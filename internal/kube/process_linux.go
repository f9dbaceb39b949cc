package kube

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// processMark is boot-pidnamespace-starttime: hosts and containers may share a
// name, and pids are given out again.
func processMark(pid int) string { return machineMark() + "-" + startTime(pid) }

// machineMark tells this boot and this pid namespace from all others.
func machineMark() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(boot) < 8 {
		return "unknown-unknown"
	}
	namespace, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	if err != nil {
		return "unknown-unknown"
	}
	return string(boot[:8]) + "-" + strings.Trim(strings.TrimPrefix(namespace, "pid:"), "[]")
}

func sameMachine(mark string) bool {
	machine := machineMark()
	return machine != "unknown-unknown" && strings.HasPrefix(mark, machine+"-")
}

// runs reports whether the process that the mark was made for still exists.
func runs(pid int, mark string) bool { return processMark(pid) == mark }

// startTime is when the process started, in clock ticks after boot; "gone"
// when there is none, and for a zombie, which does nothing any more.
func startTime(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "gone"
	}
	// The second field is the command in parentheses, and may hold anything.
	_, rest, found := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	fields := strings.Fields(string(rest))
	const state, start = 0, 19 // fields 3 and 22 of proc_pid_stat(5)
	if !found || len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return "gone"
	}
	return fields[start]
}
