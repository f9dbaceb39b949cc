// Package ports reserves loopback ports for programs that are yet to start, or
// that are to come back on the same port.
package ports

import (
	"fmt"
	"slices"
)

// Reservation is a number of ports that nothing else is given.
type Reservation struct {
	numbers []int
	release []func()
}

// Reserve reserves n different TCP ports of 127.0.0.1 until Release, or until
// this process ends. Until somebody listens on one, connections to it are refused.
func Reserve(n int) (*Reservation, error) {
	r := &Reservation{}
	for len(r.numbers) < n {
		number, release, err := reserve()
		if err != nil {
			r.Release()
			return nil, fmt.Errorf("reserve a port: %w", err)
		}
		if slices.Contains(r.numbers, number) { // where ports are only picked
			release()
			continue
		}
		r.numbers = append(r.numbers, number)
		r.release = append(r.release, release)
	}
	return r, nil
}

// Port is the number of the i-th port.
func (r *Reservation) Port(i int) int { return r.numbers[i] }

// Addr is the address of the i-th port, HOST:PORT.
func (r *Reservation) Addr(i int) string { return fmt.Sprintf("127.0.0.1:%d", r.numbers[i]) }

// Release gives the ports back. It may be called twice.
func (r *Reservation) Release() {
	for _, release := range r.release {
		release()
	}
	r.release = nil
}
