package view

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/standup-sh/standup/bootstrap/event"
	"github.com/standup-sh/standup/waiters"
)

// Duration spells d as people say it: tenths below ten seconds, then seconds,
// then no more than two units.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 9950*time.Millisecond:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + "s"
	case d < time.Hour:
		return strings.TrimSuffix(d.Round(time.Second).String(), "m0s") + minuteTail(d)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%dm", int(d.Hours()), int(d.Minutes())%60)
}

// minuteTail gives back the "m" that TrimSuffix took with the zero seconds.
func minuteTail(d time.Duration) string {
	if d.Round(time.Second)%time.Minute == 0 {
		return "m"
	}
	return ""
}

// Revision shortens the digest in a Flux revision, "main@sha1:1a2b3c4d…" to
// "main@sha1:1a2b3c4", and leaves everything else alone.
func Revision(r string) string {
	const short, digest = 7, 32
	at := strings.LastIndexAny(r, ":/@")
	head, tail := r[:at+1], r[at+1:]
	if len(tail) < digest || strings.Trim(tail, "0123456789abcdef") != "" {
		return r
	}
	return head + tail[:short]
}

// Line flattens text that came from elsewhere to one printable line.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1 // no escape sequence of a controller's message reaches a terminal
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Count spells n things: "1 tier", "2 tiers".
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Sight says what was seen, in the controller's words where it has some. Of
// what is Ready there is nothing to say.
func Sight(o waiters.Observation) string {
	if o.State == waiters.Ready {
		return ""
	}
	msg, subject := Line(o.Message), Line(o.Cause.Subject)
	switch {
	case msg == "" && subject != "":
		return string(o.Cause.Kind) + " " + subject
	case msg != "" && subject != "" && !strings.Contains(msg, subject):
		return subject + ": " + msg
	case msg != "":
		return msg
	case o.Reason != "" && o.Reason != o.State.String():
		return o.Reason
	}
	switch o.State {
	case waiters.Missing:
		return "does not exist yet"
	case waiters.Suspended:
		return "is suspended"
	case waiters.Stale:
		return "is at an older revision"
	case waiters.Unknown, waiters.Blocked, waiters.Progressing, waiters.Retrying, waiters.Stalled, waiters.Ready:
	}
	return ""
}

// Why says in one line why the item is where it is: what it waits for, what
// was last seen, or what ended it. Empty when there is nothing to say.
func (v *View) Why(it *Item) string {
	switch it.Status {
	case Pending:
		if dep := v.waitsFor(it); dep != nil {
			return "waiting for " + v.place(it, dep)
		}
		return ""
	case Running:
		return Sight(it.Seen)
	case Failed:
		return v.failure(it)
	case Skipped:
		if it.BlockedBy != "" {
			return "behind " + it.BlockedBy
		}
	case Suspended:
		return v.whyLeft(it)
	case Ready, Cancelled:
	}
	return ""
}

// place names dep from where it stands: another tier's name is what people
// look for, a sibling goes by its own.
func (v *View) place(it, dep *Item) string {
	if dep.Tier != "" && dep.Tier != it.Tier {
		return dep.Tier
	}
	return dep.Name
}

func (v *View) failure(it *Item) string {
	sight := Sight(it.Seen)
	given := GivenUp(it.Err)
	switch {
	case sight == "":
		return given
	case given == "":
		return sight
	}
	return given + ": " + sight
}

func (v *View) whyLeft(it *Item) string {
	for _, l := range v.Left {
		if l.Object == it.Object {
			return Line(l.Why)
		}
	}
	return ""
}

// GivenUp is the reason inside a step's error: the error itself repeats the
// object and what was seen, which people have been told already. Empty when
// what was seen is the reason.
func GivenUp(err error) string {
	type wrapper interface{ Unwrap() error }
	w, ok := err.(wrapper) // of the outermost error only
	if !ok {
		return Line(text(err))
	}
	return Line(text(w.Unwrap()))
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TierWhy says in one line what the tier waits for. Where the tier is more
// than one thing, the thing is named.
func (v *View) TierWhy(t *Tier) string {
	it := t.telling()
	if it == nil {
		return ""
	}
	why := v.Why(it)
	if why == "" || it.Status == Pending || it.Status == Skipped || len(t.Members)+len(t.Probes) == 1 && it.Name == t.Name {
		return why
	}
	return it.Name + ": " + why
}

// telling is the item that says most about where the tier stands.
func (t *Tier) telling() *Item {
	var best *Item
	for _, part := range [][]Item{t.Members, t.Probes} {
		for i := range part {
			if it := &part[i]; best == nil || it.weight() > best.weight() {
				best = it
			}
		}
	}
	if best == nil || best.Status == Ready {
		return nil
	}
	return best
}

// weight orders items by how much they explain.
func (i *Item) weight() int {
	switch i.Status {
	case Failed:
		return 6
	case Running:
		if i.Seen.Cause.Kind != waiters.NoCause && i.Seen.State != waiters.Blocked {
			return 5
		}
		return 4
	case Skipped:
		return 3
	case Pending:
		return 2
	case Cancelled, Suspended:
		return 1
	case Ready:
	}
	return 0
}

// MoveText says that a source moved.
func MoveText(m event.SourceMoved) string {
	s := fmt.Sprintf("source %s moved to %s", m.Source.Name, Revision(m.To))
	if m.From != "" {
		s = fmt.Sprintf("source %s moved from %s to %s", m.Source.Name, Revision(m.From), Revision(m.To))
	}
	return s
}

// WarningText is a warning as one line.
func (v *View) WarningText(w event.Warned) string { return v.names.Warning(w) }

// Warning is a warning as one line.
func (n Names) Warning(w event.Warned) string {
	msg := Line(w.Message)
	if w.Object.IsZero() || strings.Contains(msg, w.Object.Name) {
		return msg
	}
	return n.Of(w.Object) + ": " + msg
}
