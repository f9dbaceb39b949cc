package manifests

import (
	"fmt"
	"strings"
)

// PathError says that spec.path names nothing in the tree. The controller
// reports it as ArtifactFailed, not as BuildFailed.
type PathError struct {
	Path string // as written in spec.path
	Root string // where the tree is on this machine
}

func (e *PathError) Error() string {
	// Without the root: the same tree is to give the same report everywhere.
	return fmt.Sprintf("path %q does not exist in the source", e.Path)
}

// BuildError says that the set cannot be built: the controller reports
// BuildFailed.
type BuildError struct {
	Path string // the directory, relative to the tree's root
	Err  error
}

func (e *BuildError) Error() string { return fmt.Sprintf("build of %s: %v", e.Path, e.Err) }

// Unwrap gives the reason.
func (e *BuildError) Unwrap() error { return e.Err }

// RemoteBaseError says that a kustomization file needs something from the
// network, which was not allowed. Nothing was fetched.
type RemoteBaseError struct {
	File string // relative to the tree's root
	Line int    // 1-based; 0 where unknown
	URL  string
}

func (e *RemoteBaseError) Error() string {
	return fmt.Sprintf("%s refers to %s, and remote bases are not allowed", place(e.File, e.Line), e.URL)
}

// MissingValuesError says that a ConfigMap or Secret that substituteFrom needs
// does not exist. Several are joined; see MissingValues.
type MissingValuesError struct {
	Kind, Namespace, Name string
}

func (e *MissingValuesError) Error() string {
	return fmt.Sprintf("%s %s/%s, from which variables are to be substituted, does not exist", e.Kind, e.Namespace, e.Name)
}

// MissingValues finds every MissingValuesError in an error, in order.
func MissingValues(err error) []*MissingValuesError {
	var found []*MissingValuesError
	switch e := err.(type) { //nolint:errorlint // walks the tree itself, to find all and not the first
	case nil:
	case *MissingValuesError:
		found = append(found, e)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			found = append(found, MissingValues(inner)...)
		}
	case interface{ Unwrap() error }:
		found = MissingValues(e.Unwrap())
	}
	return found
}

// Undefined is a variable that an object uses and nothing defines.
type Undefined struct {
	Variable              string
	Kind, Namespace, Name string // the object, before substitution
	File                  string // relative to the tree's root; "" where unknown
	// Line is where the variable stands in File, or else where the object
	// begins (a patch brought the variable); 0 where unknown.
	Line int
}

// String is a sentence.
func (u Undefined) String() string {
	object := u.Kind + " " + u.Name
	if u.Namespace != "" {
		object = u.Kind + " " + u.Namespace + "/" + u.Name
	}
	if u.File == "" {
		return fmt.Sprintf("variable %s of %s is not defined", u.Variable, object)
	}
	return fmt.Sprintf("%s: variable %s of %s is not defined", place(u.File, u.Line), u.Variable, object)
}

// SubstituteError lists every undefined variable of the set, in the order of its
// objects. The controller reports only the first.
type SubstituteError struct {
	Undefined []Undefined
}

func (e *SubstituteError) Error() string {
	lines := make([]string, len(e.Undefined))
	for i, u := range e.Undefined {
		lines[i] = u.String()
	}
	return strings.Join(lines, "\n")
}

// place names a line of a file as compilers do.
func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
