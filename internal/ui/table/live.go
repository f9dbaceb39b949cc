package table

import (
	"io"
	"os"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"github.com/standup-sh/standup/bootstrap/event"
)

const (
	tick = 250 * time.Millisecond
	// patience is how long Close waits for the terminal: a renderer must not
	// be able to hang shutdown.
	patience = time.Second
)

// Options are what a Live needs to know about its terminal.
type Options struct {
	Style Style
	// Size tells the size of the terminal now; it is asked before every frame,
	// so no signal has to be handled. Where it is nil or knows nothing, 80 by
	// 24 are assumed.
	Size func() (width, height int)
}

// SizeOf asks the terminal f for its size.
func SizeOf(f *os.File) func() (width, height int) {
	return func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0, 0
		}
		return width, height
	}
}

// Live is an event.Sink that keeps a table on a terminal up to date. It reads
// no input, sets no terminal mode, hides no cursor, handles no signal and uses
// no alternate screen: after a kill -9 the terminal is as usable as before, and
// the last frame is on it.
//
// It is an io.Writer as well: lines written to it appear above the table, which
// is where a logger must write while there is one.
type Live struct {
	w    io.Writer
	opts Options
	stop chan struct{} // closed by Close
	done chan struct{} // closed when the last frame has been written, or never will be
	once sync.Once

	mu            sync.Mutex
	state         event.State
	changed       bool
	log           []byte // what is to appear above the table
	closed        bool
	width, height int
}

// New starts a Live on w, a terminal. Close it.
func New(w io.Writer, opts Options) *Live {
	l := &Live{
		w: w, opts: opts, width: 80, height: 24,
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	if f, ok := w.(*os.File); ok {
		lipgloss.EnableLegacyWindowsANSI(f) // nothing anywhere else
	}
	go l.loop()
	return l
}

// Emit implements event.Sink. It folds and returns; the table is drawn when its
// next frame is due.
func (l *Live) Emit(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Apply(e)
	l.changed = true
}

// Write puts whole lines above the table; it never blocks before Close.
func (l *Live) Write(p []byte) (int, error) {
	l.mu.Lock()
	if !l.closed {
		l.log = append(l.log, p...)
		l.mu.Unlock()
		return len(p), nil
	}
	l.mu.Unlock()
	return l.w.Write(p)
}

// Close leaves the final frame on the screen and returns, within a second
// whatever the terminal does. Events after Close are not shown.
func (l *Live) Close() {
	l.once.Do(func() {
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
		close(l.stop)
	})
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-l.done:
	case <-timer.C:
	}
}

// loop owns the terminal. A terminal that refuses a write is gone; the run goes
// on without it.
func (l *Live) loop() {
	defer close(l.done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var p painter
	for last := false; !last; {
		now := time.Now()
		select {
		case <-l.stop:
			last = true
		case now = <-ticker.C:
		}
		if out := l.next(&p, now, last); out != "" {
			if _, err := io.WriteString(l.w, out); err != nil {
				return
			}
		}
	}
}

// next is what brings the terminal up to date; empty when it is. Nothing
// happens for most of a run, so a frame is drawn only for a new event, a new
// second or a new size.
func (l *Live) next(p *painter, now time.Time, last bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opts.Size != nil {
		if width, height := l.opts.Size(); width > 0 && height > 0 && (width != l.width || height != l.height) {
			l.width, l.height, l.changed = width, height, true
		}
	}
	if !l.changed && !last && len(l.log) == 0 && now.Unix() == p.second {
		return ""
	}
	log := string(l.log)
	l.log, l.changed, p.second = nil, false, now.Unix()
	// One line is left for the cursor, and a frame as wide as the terminal
	// would leave the cursor in a place where terminals differ.
	frame := Render(&l.state, l.width-1, l.height-1, now, l.opts.Style)
	return p.paint(frame, log, l.width)
}
