package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine is where the benchmark ran, without anything that names it.
type machine struct {
	Cores    int
	Platform string
	Load     string
}

func thisMachine() machine {
	return machine{
		Cores: runtime.NumCPU(), Load: loadAverage(),
		Platform: fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH),
	}
}

// loadAverage is that of 1, 5 and 15 minutes, where the system tells.
func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(raw)); err == nil && len(fields) >= 3 {
		return strings.Join(fields[:3], " ")
	}
	return "unknown"
}
