// Package buildinfo knows which build of standup this is.
package buildinfo

import (
	"runtime"
	"runtime/debug"
)

// Set by the linker (see the Makefile and .goreleaser.yaml).
//
//nolint:gochecknoglobals // -X can only set package variables
var (
	version = ""
	commit  = ""
)

// Info is what `standup version` prints.
type Info struct {
	Version string
	Commit  string
	Go      string
}

// Read returns the linked version, else what the Go toolchain recorded, else
// "dev".
func Read() Info {
	i := Info{Version: version, Commit: commit, Go: runtime.Version()}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return i.withDefaults()
	}
	if i.Version == "" && build.Main.Version != "(devel)" {
		i.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" && i.Commit == "" {
			i.Commit = s.Value
		}
	}
	return i.withDefaults()
}

func (i Info) withDefaults() Info {
	if i.Version == "" {
		i.Version = "dev"
	}
	return i
}
