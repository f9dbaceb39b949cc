package rehearsal

import (
	"container/heap"
	"time"
)

// clock is the virtual time of the model: events in the order of their time, and
// of their making where that is the same.
type clock struct {
	now    time.Duration
	events events
	made   int
}

type event struct {
	at    time.Duration
	order int
	do    func()
}

// after runs do a while from now.
func (c *clock) after(delay time.Duration, do func()) {
	c.made++
	heap.Push(&c.events, event{at: c.now + delay, order: c.made, do: do})
}

// step runs the next event, if there is one.
func (c *clock) step() bool {
	if len(c.events) == 0 {
		return false
	}
	e, _ := heap.Pop(&c.events).(event)
	c.now = e.at
	e.do()
	return true
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if e[i].at != e[j].at {
		return e[i].at < e[j].at
	}
	return e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { ev, _ := x.(event); *e = append(*e, ev) }

func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// What things take. Only their order and the timers of Flux matter much; these
// are what a small cluster shows.
const (
	applyTime    = time.Second      // build, dry-run and apply of one set
	definedTime  = 2 * time.Second  // until a CRD is Established
	chartTime    = 15 * time.Second // fetch a chart and create its CRDs
	installTime  = 60 * time.Second // until a release is Ready
	workloadTime = 30 * time.Second // until the pods of a workload are
	operatorTime = 60 * time.Second // until an operator has registered its kinds, at worst
	secretTime   = 20 * time.Second // until a controller has made a Secret
	// requeueTime is --requeue-dependency of the controllers.
	requeueTime = 30 * time.Second
	pollTime    = 2 * time.Second
	nudgeTime   = time.Second // until standup sees a change and wakes who waits
)
