//go:build tools

// Command barebuild builds directories with kustomize alone, one after the other
// in one process, on the file system that Flux's controllers build on. It is what
// the benchmark measures a rehearsal against: less than this nobody can do who
// builds every set.
//
//	barebuild ROOT DIR...
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	securefs "github.com/fluxcd/pkg/kustomize/filesys"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "barebuild:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: barebuild ROOT DIR...")
	}
	root, err := filepath.EvalSymlinks(args[0])
	if err != nil {
		return err
	}
	fsys, err := securefs.MakeFsOnDiskSecure(root)
	if err != nil {
		return err
	}
	objects := 0
	for _, dir := range args[1:] {
		built, err := krusty.MakeKustomizer(&krusty.Options{
			LoadRestrictions: types.LoadRestrictionsNone,
			PluginConfig:     types.DisabledPluginConfig(),
		}).Run(fsys, filepath.Join(root, dir))
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		objects += built.Size()
	}
	_, err = fmt.Println(objects)
	return err
}
