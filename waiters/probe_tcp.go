package waiters

import (
	"context"
	"fmt"
	"net"
	"time"
)

// lookTimeout bounds one look over the network. It is short since a look is
// repeated anyway, and long enough for a handshake across the world.
const lookTimeout = 5 * time.Second

// NewTCP returns a probe that is Ready once address, host:port, accepts a
// connection.
func NewTCP(name, address string) (Probe, error) {
	if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
		return nil, fmt.Errorf("probe %s: %q is not host:port", name, address)
	}
	return &tcpProbe{name: name, address: address}, nil
}

type tcpProbe struct{ name, address string }

// Name implements Probe.
func (p *tcpProbe) Name() string { return p.name }

// Observe implements Probe. A refused connection is a sight, not a failed
// look: it is how something looks that has not started yet.
func (p *tcpProbe) Observe(ctx context.Context) (Observation, error) {
	dialer := net.Dialer{Timeout: lookTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", p.address)
	if err != nil {
		return notAnswering(ctx, err)
	}
	// It was only opened to see that it can be.
	_ = conn.Close()
	return Observation{State: Ready, Reason: "Accepts", Message: "accepts connections"}, nil
}

func notAnswering(ctx context.Context, err error) (Observation, error) {
	if ctx.Err() != nil {
		return Observation{}, err
	}
	return Observation{State: Progressing, Reason: "NotAnswering", Message: Shorten(err.Error())}, nil
}
