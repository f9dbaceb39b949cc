package rehearsal

import "time"

// pool is the workers of a controller, as many as its flag --concurrent says. A
// pass holds one from its start to its end, also while it waits for health: four
// that cannot become healthy stop all others until they time out.
type pool struct {
	size, busy int
	queue      []*unit
}

// take gets a worker for a unit, or puts it into the queue.
func (m *model) take(u *unit) bool {
	p := u.pool
	switch {
	case p == nil || u.holding:
		return true
	case p.busy < p.size:
		p.busy++
		u.holding = true
		return true
	}
	u.scheduled = true
	p.queue = append(p.queue, u)
	return false
}

// give returns a unit's worker to the next in the queue, at the end of a pass.
func (m *model) give(u *unit) {
	u.deadline = 0
	if u.pool == nil || !u.holding {
		return
	}
	u.holding = false
	u.pool.busy--
	if len(u.pool.queue) > 0 {
		next := u.pool.queue[0]
		u.pool.queue = u.pool.queue[1:]
		m.after(0, func() { m.turn(next) })
	}
}

// hold keeps a pass, and its worker, in what the waits say until the timeout;
// then the pass has failed.
func (m *model) hold(u *unit, timeout time.Duration, failed func(), waits ...wait) {
	u.waits = waits
	switch {
	case u.deadline == 0:
		deadline := m.now + timeout
		u.deadline = deadline
		m.after(timeout, func() {
			if !u.ready && u.deadline == deadline && !u.scheduled {
				failed()
			}
		})
	case m.now >= u.deadline:
		failed()
		return
	}
	u.parkedAt, u.delay = m.now, pollTime
	if !u.parked {
		u.parked = true
		m.parked = append(m.parked, u)
	}
}
