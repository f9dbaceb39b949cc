package rehearsal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Timeline is the course of Flux alone and of Flux with standup. The times come
// from a small table of guesses: they compare trees and do not predict.
type Timeline struct {
	Flux, Standup Course
	// Retries are the passes on the critical path that timing may fail, each with
	// what it costs Flux alone.
	Retries []Delay
}

// Delay is what a failed pass of a Kustomization costs.
type Delay struct {
	Kustomization string
	Cost          time.Duration
}

// Course is one run on the virtual clock.
type Course struct {
	Bars []Bar // in the order in which they are Ready; who never is comes last
	// Critical is the chain that the last one waited for, from the first on.
	Critical []string
}

// Bar is the way of one Kustomization. Times count from the start of Flux.
type Bar struct {
	Kustomization string
	// Created is when its object exists, Began when nothing but the dry-run was
	// left, Applied when all was applied, Ready when it was. Zero is never.
	Created, Began, Applied, Ready time.Duration
}

// End is when the last one that ever is is Ready.
func (c Course) End() time.Duration {
	var end time.Duration
	for _, b := range c.Bars {
		end = max(end, b.Ready)
	}
	return end
}

// course collects a run.
func (m *model) course() Course {
	var c Course
	var last *unit
	for _, n := range m.w.order {
		u := m.byNode[n]
		bar := Bar{Kustomization: n.ref.NamespacedName(), Created: u.createdAt, Began: u.eligible, Applied: u.appliedAt}
		if u.ready {
			bar.Ready = u.readyAt
			if last == nil || u.readyAt > last.readyAt {
				last = u
			}
		}
		c.Bars = append(c.Bars, bar)
	}
	slices.SortStableFunc(c.Bars, func(a, b Bar) int {
		return cmp.Or(cmp.Compare(btoi(a.Ready == 0), btoi(b.Ready == 0)), cmp.Compare(a.Ready, b.Ready), strings.Compare(a.Kustomization, b.Kustomization))
	})
	seen := map[*unit]bool{}
	for u := last; u != nil && !seen[u]; u = m.waitedFor(u) {
		seen[u] = true
		c.Critical = append(c.Critical, u.node.ref.NamespacedName())
	}
	slices.Reverse(c.Critical)
	return c
}

// waitedFor is the last one that had to be Ready, to create it, or to bring what
// its set needs, before a Kustomization could be applied.
func (m *model) waitedFor(u *unit) *unit {
	var last *unit
	var at time.Duration
	look := func(n *node, since time.Duration) {
		if other := m.byNode[n]; other != nil && other != u && since <= u.appliedAt && (last == nil || since > at) {
			last, at = other, since
		}
	}
	for _, p := range u.node.parents {
		if m.byNode[p].passed > 0 {
			look(p, u.createdAt)
		}
	}
	for _, d := range u.node.spec.Spec.DependsOn {
		if n, ok := m.w.nodes[refOfDependency(u.node, d)]; ok && m.byNode[n].ready {
			look(n, m.byNode[n].readyAt)
		}
	}
	for _, st := range m.stages[u.node] {
		for _, nd := range st.needs {
			if by, _ := m.orderedAfter(u, nd); by != nil && by.node != u.node {
				if since, met, _ := m.has(nd); met {
					look(by.node, since)
				}
			}
		}
	}
	return last
}

// retries notes which passes of the critical path timing may fail.
func (t *Timeline) retries(s *stage, outcomes map[*node]*outcome) {
	for _, n := range s.w.order {
		name := n.ref.NamespacedName()
		if o := outcomes[n]; o.verdict == Race && o.blocked == "" && slices.Contains(t.Flux.Critical, name) {
			t.Retries = append(t.Retries, Delay{name, n.retry()})
		}
	}
}

// Worst is the end of Flux alone if each race is lost once.
func (t Timeline) Worst() time.Duration {
	worst := t.Flux.End()
	for _, d := range t.Retries {
		worst += d.Cost
	}
	return worst
}

func (t Timeline) write(b *strings.Builder) {
	fmt.Fprintf(b, "Roughly: Flux alone %s", t.Flux)
	if len(t.Retries) > 0 {
		fmt.Fprintf(b, ", %s if it loses its races", t.Worst())
	}
	fmt.Fprintf(b, "; with standup %s.\nThe longest chain: %s.\n\n", t.Standup, strings.Join(t.Standup.Critical, " -> "))
}

// String is the time, or how far it gets.
func (c Course) String() string {
	ready := 0
	for _, b := range c.Bars {
		if b.Ready > 0 {
			ready++
		}
	}
	if ready < len(c.Bars) {
		return fmt.Sprintf("%d of %d after %s, and no more", ready, len(c.Bars), c.End())
	}
	return c.End().String()
}
