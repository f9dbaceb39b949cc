// Package waiters tells how far one thing is, and waits for it.
//
// A judgement is a pure function from an object to an Observation: one file a
// kind, no cluster and no clock. Classify turns a controller's words into a
// typed Cause. A Probe looks once; Wait looks until Ready, Stalled or the end
// of the context, at the pace of a Policy.
//
// The package knows nothing of plans, events or terminals, and reaches the
// cluster only through the small interfaces it declares.
package waiters
