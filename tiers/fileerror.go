package tiers

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// FileError is one fault of a file that a person wrote. Several are joined
// with errors.Join, in the order of their positions; errors.As finds the first.
type FileError struct {
	File         string // as Parse was given it; empty from ImportBash
	Line, Column int    // from 1; 0 when the fault has no place
	Message      string
	Hint         string // what to do; may be empty
}

// Error prints file:line:column: what is wrong; what to do.
func (e *FileError) Error() string {
	var place []string
	if e.File != "" {
		place = append(place, e.File)
	}
	if e.Line > 0 {
		place = append(place, fmt.Sprintf("%d:%d", e.Line, max(e.Column, 1)))
	}
	s := strings.Join(append(place, " "+e.Message), ":")
	s = strings.TrimPrefix(s, " ")
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// joinFaults returns nil, the one fault, or all of them by position.
func joinFaults(faults []*FileError) error {
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	slices.SortStableFunc(faults, func(a, b *FileError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	joined := make([]error, len(faults))
	for i, f := range faults {
		joined[i] = f
	}
	return errors.Join(joined...)
}
