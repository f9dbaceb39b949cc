package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/internal/ui/uitest"
)

// recorder keeps what was written, write by write.
type recorder struct {
	mu     sync.Mutex
	writes []string
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes = append(r.writes, string(p))
	return len(p), nil
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.writes)
}

func (r *recorder) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.writes, "")
}

func TestLiveLeavesTheFinalFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		live := New(&out, Options{Style: plainStyle()})
		s := uitest.Success()
		last := s.Events[0].Time
		for _, e := range s.Events {
			<-time.After(e.Time.Sub(last))
			last = e.Time
			live.Emit(e)
		}
		live.Close()
		live.Close() // a second time is harmless
		screen := newScreen(80)
		screen.write(out.all())
		want := Render(s.State(), 79, 23, s.Now(), plainStyle())
		if got := screen.text(); got != want {
			t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
		}
	})
}

// A frame is sent for an event or for a new second, and nothing in between.
func TestLiveIsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		live := New(&out, Options{Style: plainStyle()})
		defer live.Close()
		for _, e := range uitest.UnderWay().Events {
			e.Time = time.Now() // the elapsed seconds are what changes
			live.Emit(e)
		}
		<-time.After(2 * time.Second)
		before := out.count()
		<-time.After(10 * time.Second)
		if n := out.count() - before; n < 9 || n > 11 {
			t.Errorf("%d writes in ten quiet seconds, want one a second", n)
		}
	})
}

func TestLiveShowsAResizeSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		width := 100
		size := func() (int, int) {
			mu.Lock()
			defer mu.Unlock()
			return width, 24
		}
		var out recorder
		live := New(&out, Options{Style: plainStyle(), Size: size})
		defer live.Close()
		uitest.UnderWay().Play(live)
		<-time.After(2*time.Second + 100*time.Millisecond)
		screen := newScreen(100)
		screen.write("$ standup resume\n" + out.all())
		before := out.count()
		mu.Lock()
		width = 40
		mu.Unlock()
		screen.resize(40)
		<-time.After(tick)
		synctest.Wait()
		screen.write(strings.Join(out.writes[before:], ""))
		got := screen.text()
		if n := strings.Count(got, "standup prod"); n != 1 || !strings.HasPrefix(got, "$ standup resume\nstandup prod") {
			t.Errorf("after narrowing, the screen shows\n%s", got)
		}
	})
}

// A terminal under flow control (^S) takes nothing: neither the run nor its end
// may wait for it.
func TestLiveNeverHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // nobody reads
		live := New(w, Options{})
		start := time.Now()
		for _, e := range uitest.Wedged().Events {
			live.Emit(e)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("Emit took %s", d)
		}
		<-time.After(time.Second)
		start = time.Now()
		live.Close()
		if d := time.Since(start); d > patience {
			t.Errorf("Close took %s", d)
		}
		_ = r.Close() // lets the writer go, so that the bubble can end
	})
}

func TestLiveOutlivesItsTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := New(gone{}, Options{})
		<-time.After(time.Second)
		uitest.Wedged().Play(live)
		start := time.Now()
		live.Close()
		if d := time.Since(start); d != 0 {
			t.Errorf("Close waited %s for a terminal that is gone", d)
		}
	})
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errors.New("input/output error") }

func TestLogLinesAppearAboveTheTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		live := New(&out, Options{Style: plainStyle()})
		s := uitest.UnderWay()
		s.Play(live)
		_, _ = fmt.Fprintln(live, "W the API server says: deprecated")
		<-time.After(time.Second)
		_, _ = fmt.Fprint(live, "without a newline")
		<-time.After(time.Second)
		live.Close()
		_, _ = fmt.Fprintln(live, "after the end")
		screen := newScreen(80)
		screen.write(out.all())
		lines := strings.Split(screen.text(), "\n")
		if lines[0] != "W the API server says: deprecated" || lines[1] != "without a newline" || !strings.HasPrefix(lines[2], "standup prod") {
			t.Errorf("the screen shows\n%s", screen.text())
		}
		if got := lines[len(lines)-2]; got != "after the end" {
			t.Errorf("the last line is %q", got)
		}
	})
}

func TestEmitFoldsAfterClose(t *testing.T) {
	var out bytes.Buffer
	live := New(&out, Options{})
	live.Close()
	live.Emit(event.Event{Body: event.Warned{Message: "late"}})
	if len(live.state.Warnings) != 1 {
		t.Error("an event after Close was lost")
	}
}

func TestSizeOfWhatIsNoTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if w, h := SizeOf(f)(); w != 0 || h != 0 {
		t.Errorf("a file is %d by %d", w, h)
	}
}
