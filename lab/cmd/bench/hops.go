package main

import (
	"maps"
	"slices"
	"time"
)

// gate is something that had to come before a Kustomization, and when it did.
// Name is that of a Kustomization; a probe has none.
type gate struct {
	Name string
	At   time.Time
}

// gates are those of each Kustomization by name.
type gates map[string][]gate

// last is the gate that opened last; ok is false where there is none.
func (g gates) last(name string) (out gate, ok bool) {
	for _, one := range g[name] {
		if !ok || one.At.After(out.At) {
			out, ok = one, true
		}
	}
	return out, ok
}

// gatesOf are the gates of a graph of names: each one's predecessors' Ready.
// A Kustomization with a predecessor that never became Ready has none.
func gatesOf(tracks map[string]track, before map[string][]string) gates {
	out := gates{}
	for name, names := range before {
		var list []gate
		for _, b := range names {
			if r := tracks[b].ready; !r.IsZero() {
				list = append(list, gate{Name: b, At: r})
			}
		}
		if len(list) == len(names) && len(list) > 0 {
			out[name] = list
		}
	}
	return out
}

// began is when a Kustomization was first seen to be reconciled at or after a
// moment. Where that was never seen, it was begun before the moment or was too
// short to be seen: then it is the moment itself. It is zero where nothing
// came of it.
func (t track) began(after time.Time) time.Time {
	i := slices.IndexFunc(t.reconciling, func(at time.Time) bool { return !at.Before(after) })
	switch {
	case i >= 0 && (t.ready.IsZero() || !t.reconciling[i].After(t.ready)):
		return t.reconciling[i]
	case t.ready.After(after):
		return after
	case i >= 0:
		return t.reconciling[i]
	}
	return time.Time{}
}

// hops are the times from the last gate of each Kustomization to the moment at
// which it was seen to be reconciled. What has no gate, or never began, has none.
func hops(tracks map[string]track, g gates) []time.Duration {
	var out []time.Duration
	for _, name := range slices.Sorted(maps.Keys(g)) {
		open, ok := g.last(name)
		if !ok {
			continue
		}
		if at := tracks[name].began(open.At); !at.IsZero() {
			out = append(out, at.Sub(open.At))
		}
	}
	return out
}

// spent is where the time of a run went, along the path that it really took:
// back from the Kustomization that was Ready last, each time to the gate that
// opened last. Before, Hops, Controllers and After add up to the whole.
type spent struct {
	// Before is from the start to the first reconciliation of the path.
	Before time.Duration
	// Hops are between the reconciliations.
	Hops time.Duration
	// Controllers is from the first sight of each reconciliation to its Ready,
	// Own what the controllers themselves say of it.
	Controllers, Own time.Duration
	// After is from the last Ready to the end.
	After time.Duration
}

// spentOn finds out where the time went.
func spentOn(tracks map[string]track, g gates, began, ended time.Time) spent {
	var name string
	for _, n := range slices.Sorted(maps.Keys(tracks)) {
		if name == "" || tracks[n].ready.After(tracks[name].ready) {
			name = n
		}
	}
	out := spent{After: ended.Sub(tracks[name].ready)}
	for range tracks {
		t := tracks[name]
		open, gated := g.last(name)
		if !gated {
			open.At = began
		}
		at := t.began(open.At)
		out.Controllers += t.ready.Sub(at)
		out.Own += t.took
		if !gated {
			out.Before = at.Sub(open.At)
			break
		}
		out.Hops += at.Sub(open.At)
		// A probe belongs to a tier, not to a Kustomization: its time is a hop
		// of the path that goes on before it.
		if open.Name == "" {
			before := latestBefore(tracks, open.At)
			if before == "" {
				out.Before = open.At.Sub(began)
				break
			}
			out.Hops += open.At.Sub(tracks[before].ready)
			open.Name = before
		}
		name = open.Name
	}
	return out
}

// latestBefore is what became Ready last before a moment; empty if nothing did.
func latestBefore(tracks map[string]track, at time.Time) string {
	best := ""
	for _, n := range slices.Sorted(maps.Keys(tracks)) {
		r := tracks[n].ready
		if !r.IsZero() && r.Before(at) && (best == "" || r.After(tracks[best].ready)) {
			best = n
		}
	}
	return best
}
