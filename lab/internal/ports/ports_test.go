package ports_test

import (
	"net"
	"testing"

	"github.com/standup-sh/standup/lab/internal/ports"
)

func TestAReservedPortIsRefusedUntilItsProgramListensAgainAndAgain(t *testing.T) {
	t.Parallel()
	r, err := ports.Reserve(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Release)
	dialer := &net.Dialer{}
	for range 3 {
		if c, err := dialer.DialContext(t.Context(), "tcp", r.Addr(0)); err == nil {
			_ = c.Close()
			t.Fatal("connected to a port that nobody listens on")
		}
		l := listen(t, r.Addr(0))
		c, err := dialer.DialContext(t.Context(), "tcp", r.Addr(0))
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		_ = l.Close()
	}
}

func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
