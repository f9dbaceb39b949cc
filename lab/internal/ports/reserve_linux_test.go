package ports_test

import (
	"net"
	"testing"

	"github.com/standup-sh/standup/lab/internal/ports"
)

// The case that this package is for: other programs of the machine connect and
// listen between the choice of a port and the start of its program.
func TestAReservedPortIsGivenToNobodyWhoDoesNotAskForIt(t *testing.T) {
	const many = 400
	r, err := ports.Reserve(many)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Release)
	reserved := map[int]bool{}
	for i := range many {
		reserved[r.Port(i)] = true
	}
	if len(reserved) != many {
		t.Fatalf("%d different ports, want %d", len(reserved), many)
	}
	listener := listen(t, "127.0.0.1:0")
	go accept(listener)
	for range 400 {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		for _, addr := range []net.Addr{c.LocalAddr(), listen(t, "127.0.0.1:0").Addr()} {
			if reserved[addr.(*net.TCPAddr).Port] {
				t.Fatalf("the reserved port of %s was given away", addr)
			}
		}
	}
}

func accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
	}
}
