package catalog

import "fmt"

// FileError is one fault of a file that a person wrote. Several are joined with
// errors.Join; errors.As finds the first.
type FileError struct {
	File         string
	Line, Column int // from 1; 0 when the fault has no place
	Message      string
}

// Error prints file:line:column: what is wrong.
func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, max(e.Column, 1), e.Message)
}

// fault is what is wrong with a value, and the path of the value in its file:
// provides[0].plural.
type fault struct{ path, message string }
