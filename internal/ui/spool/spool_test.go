package spool

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestKeepsOrderAndFinishesLast(t *testing.T) {
	var out strings.Builder
	s := New(&out, func() error {
		out.WriteString("end")
		return nil
	})
	for _, line := range []string{"a\n", "b\n", "c\n"} {
		if n, err := s.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "a\nb\nc\nend"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The caller may use its buffer again.
func TestCopiesWhatItIsGiven(t *testing.T) {
	var out strings.Builder
	s := New(&out, nil)
	buf := []byte("first")
	_, _ = s.Write(buf)
	copy(buf, "later")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "first" {
		t.Errorf("got %q", got)
	}
}

func TestABlockedStreamBlocksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // nobody reads
		s := New(w, nil)
		start := time.Now()
		for range 1000 {
			_, _ = s.Write([]byte("line\n"))
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("writing took %s", d)
		}
		if err := s.Close(); !errors.Is(err, ErrStuck) {
			t.Errorf("Close = %v, want ErrStuck", err)
		}
		if d := time.Since(start); d != patience {
			t.Errorf("Close took %s, want %s", d, patience)
		}
		_ = r.Close() // lets the worker go, so that the bubble can end
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		s := New(w, nil)
		_, _ = s.Write([]byte("taken by the worker"))
		synctest.Wait()
		block := make([]byte, 1<<20)
		for range 20 {
			_, _ = s.Write(block)
		}
		if err := s.Err(); !errors.Is(err, ErrStuck) || !strings.Contains(err.Error(), "4 writes were dropped") {
			t.Errorf("Err = %v", err)
		}
		_ = r.Close()
		_ = s.Close()
	})
}

type failing struct{ calls int }

func (f *failing) Write([]byte) (int, error) {
	f.calls++
	return 0, errors.New("disk full")
}

// Half a stream helps, a stream with holes misleads.
func TestStopsAtTheFirstError(t *testing.T) {
	f := &failing{}
	finished := false
	s := New(f, func() error {
		finished = true
		return errors.New("a later error")
	})
	for range 3 {
		_, _ = s.Write([]byte("line\n"))
	}
	if err := s.Close(); err == nil || err.Error() != "disk full" {
		t.Errorf("Close = %v, want the first error", err)
	}
	if f.calls != 1 || !finished {
		t.Errorf("%d writes, finished %v", f.calls, finished)
	}
}

func TestReportsWhatFinishSays(t *testing.T) {
	s := New(io.Discard, func() error { return errors.New("cannot close") })
	if err := s.Close(); err == nil || err.Error() != "cannot close" {
		t.Errorf("Close = %v", err)
	}
}

func TestAfterClose(t *testing.T) {
	var out strings.Builder
	s := New(&out, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("late")); err != nil {
		t.Errorf("Write = %v", err)
	}
	if err := s.Close(); err != nil || s.Err() != nil || s.Sync() != nil {
		t.Errorf("a second Close = %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("got %q", out.String())
	}
}

func TestManyWriters(t *testing.T) {
	var out strings.Builder
	s := New(&out, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				_, _ = s.Write([]byte("0123456789"))
			}
		})
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != strings.Repeat("0123456789", 800) {
		t.Errorf("%d bytes, torn or lost", len(got))
	}
}
