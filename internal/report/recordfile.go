package report

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// recordFile is the disk's side of a Recorder; its methods run on the spool's
// goroutine.
type recordFile struct {
	dir  string
	base string // file name without suffix
	file *os.File

	mu     sync.Mutex // guards result and err, which Emit sets
	result []byte
	err    error
}

// Write opens the file when there is something to write. Files are for the
// operator alone: object names and messages are nobody else's business.
func (f *recordFile) Write(p []byte) (int, error) {
	if f.file == nil {
		if f.dir == "" {
			return 0, errors.New("neither XDG_STATE_HOME nor HOME is set")
		}
		if err := os.MkdirAll(f.dir, 0o700); err != nil {
			return 0, err
		}
		file, err := os.OpenFile(filepath.Join(f.dir, f.base+eventsSuffix), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return 0, err
		}
		f.file = file
	}
	return f.file.Write(p)
}

// finish closes the events, adds the result if there is one, and makes room.
func (f *recordFile) finish() error {
	if f.file == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	errs := []error{f.err, f.file.Close()}
	if f.result != nil {
		errs = append(errs, os.WriteFile(filepath.Join(f.dir, f.base+resultSuffix), f.result, 0o600))
	}
	return errors.Join(append(errs, prune(f.dir))...)
}
