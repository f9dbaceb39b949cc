package manifests

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// kustomizing holds everyone else out of kustomize, whose OpenAPI schema is one
// for the whole process.
var kustomizing sync.Mutex //nolint:gochecknoglobals // guards another library's global

// runKustomize is the library's Build, but for the schema. That is parsed anew
// for each build there, which takes a hundred milliseconds and matters only
// where a kustomization file has an openapi field: only then is it done here.
// The caller holds kustomizing.
func runKustomize(fsys filesys.FileSystem, dir string, ownSchema bool) (m resmap.ResMap, err error) {
	// Kustomize panics on some invalid objects.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("kustomize panicked: %v", r)
		}
	}()
	if ownSchema {
		openapi.ResetOpenAPI()
		_ = openapi.Schema() // the built-in one, which the file's adds to
		defer openapi.ResetOpenAPI()
	}
	return krusty.MakeKustomizer(&krusty.Options{
		LoadRestrictions: types.LoadRestrictionsNone,
		PluginConfig:     types.DisabledPluginConfig(),
	}).Run(fsys, dir)
}

// scrub takes a directory out of an error's text: the paths in it are then
// relative, and the same wherever the tree is.
func scrub(err error, dir string) error {
	text := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	text = strings.ReplaceAll(text, dir, ".")
	if text == err.Error() {
		return err
	}
	return &reworded{text: text, err: err}
}

// reworded is an error with another text.
type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }

var errNotADirectory = errors.New("it is a file, not a directory")
