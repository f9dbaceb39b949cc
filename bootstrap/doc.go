// Package bootstrap runs a plan against a cluster: it lifts suspends, nudges
// Flux where its own timers would idle, waits, probes, and ends with proof or
// with one named cause.
//
// One goroutine, the run, owns all state. It reads a World that a list and a
// watch per kind keep fresh, decides what to do from what is seen, and leaves
// everything that may block (writes, probes, looks at applied objects) to
// workers that report back through one inbox. Decisions are level-triggered:
// they depend on what is there now, not on which event told of it, so a lost
// or doubled event changes nothing.
package bootstrap
