package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/standup-sh/standup/lab/internal/pki"
	"github.com/standup-sh/standup/lab/internal/ports"
	"github.com/standup-sh/standup/lab/internal/proc"
)

const dirPrefix = "standup-lab-"

// makeDir makes the working directory, holds a lock in it for as long as this
// process lives, and has a janitor remove it once the process is gone.
func (c *Cluster) makeDir(ctx context.Context) error {
	sweepStale()
	dir, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	c.dir = dir
	if c.lock, err = os.Create(filepath.Join(dir, "lock")); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if err := syscall.Flock(int(c.lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock the working directory: %w", err)
	}
	if !c.opts.KeepDir {
		// WithoutCancel: the janitor goes last, when the lock of the directory
		// is let go, not when the cluster is told to end.
		if c.janitor, err = proc.Janitor(context.WithoutCancel(ctx), c.bins.Guard, dir); err != nil {
			return err
		}
	}
	if c.ca, err = pki.NewCA("standup-lab"); err != nil {
		return err
	}
	return os.WriteFile(c.path("ca.crt"), c.ca.CertPEM, 0o600)
}

// sweepStale removes directories of clusters whose process and janitor both
// died: the lock is free, and the directory is not one that is just being made.
func sweepStale() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		f, err := os.Open(filepath.Join(dir, "lock"))
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(dir)
		}
		_ = f.Close()
	}
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// writePair writes NAME.crt and NAME.key into the working directory.
func (c *Cluster) writePair(name string, pair pki.Pair) error {
	return errors.Join(
		os.WriteFile(c.path(name+".crt"), pair.Cert, 0o600),
		os.WriteFile(c.path(name+".key"), pair.Key, 0o600),
	)
}

// reserve reserves ports for as long as the cluster lives: its API server and
// controllers come back on the same ones.
func (c *Cluster) reserve(n int) (*ports.Reservation, error) {
	r, err := ports.Reserve(n)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ports = append(c.ports, r)
	return r, nil
}
