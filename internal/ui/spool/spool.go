// Package spool writes to a stream that may block (a pipe nobody reads, a
// stopped terminal, a home directory on a dead server) without letting it block
// the run: Write only queues, and Close waits for a bounded time.
package spool

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// limit bounds the memory that a reader who does not read can cost.
	limit = 16 << 20
	// patience is how long Close waits for the stream to take the rest.
	patience = 2 * time.Second
)

// ErrStuck is in the chain of an error that means "the stream does not take
// what it is given".
var ErrStuck = errors.New("the stream is stuck")

// Spool queues writes and hands them to the stream in order.
type Spool struct {
	w      io.Writer
	finish func() error
	wake   chan struct{} // holds at most one token: there may be work
	done   chan struct{} // closed when the worker has ended

	mu     sync.Mutex
	queue  [][]byte
	queued int
	lost   int
	closed bool
	err    error
}

// New starts a Spool on w. finish, if not nil, is called once after the last
// write, on the goroutine that writes.
func New(w io.Writer, finish func() error) *Spool {
	s := &Spool{w: w, finish: finish, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.work()
	return s
}

// Write queues a copy of p. It never blocks and never fails: what the stream
// says is known from Err and Close.
func (s *Spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
	case s.queued+len(p) > limit:
		s.lost++
	default:
		s.queue = append(s.queue, append([]byte(nil), p...))
		s.queued += len(p)
		s.poke()
	}
	return len(p), nil
}

// Sync implements zapcore.WriteSyncer; Close is what waits.
func (s *Spool) Sync() error { return nil }

// Err is the first thing that went wrong, so far.
func (s *Spool) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.lost > 0 {
		return fmt.Errorf("%w: %d writes were dropped", ErrStuck, s.lost)
	}
	return s.err
}

// Close waits until the stream has taken everything, but no longer than two
// seconds, and returns the first thing that went wrong. Later writes go
// nowhere. A second Close only waits.
func (s *Spool) Close() error {
	s.mu.Lock()
	s.closed = true
	s.poke()
	s.mu.Unlock()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-s.done:
		return s.Err()
	case <-limit.C:
		return fmt.Errorf("%w: gave up after %s", ErrStuck, patience)
	}
}

// poke tells the worker that there may be work; the caller holds the lock.
func (s *Spool) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Spool) work() {
	defer close(s.done)
	for range s.wake {
		batch, closed := s.take()
		for _, p := range batch {
			s.write(p)
		}
		if closed {
			break
		}
	}
	if s.finish != nil {
		if err := s.finish(); err != nil {
			s.fail(err)
		}
	}
}

// write stops writing at the first error: half a stream helps, a stream with
// holes misleads.
func (s *Spool) write(p []byte) {
	s.mu.Lock()
	broken := s.err != nil
	s.mu.Unlock()
	if broken {
		return
	}
	if _, err := s.w.Write(p); err != nil {
		s.fail(err)
	}
}

// take empties the queue. Nothing is queued after closed, so a batch taken
// with closed set is the last.
func (s *Spool) take() (batch [][]byte, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, s.queue, s.queued = s.queue, nil, 0
	return batch, s.closed
}

func (s *Spool) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}
