// Package kube talks to the API server, and is the only package that imports
// client-go. Everything else sees the small interfaces of bootstrap and
// waiters, which [View] and [Client] implement:
//
//   - [Connect] finds the cluster as kubectl does and makes a [Client];
//   - [Client.Watch] keeps the Flux objects in memory, one list and one watch
//     per kind, as a [View];
//   - [Client] looks at any object, makes the two changes that resume makes,
//     asks what it may do, and holds the run's lock.
//
// Errors that somebody must branch on are typed in errors.go. A refusal (401,
// 403) is believed only from an API server that says it is ready: one that is
// just starting refuses everything until it has read its own rules.
package kube
