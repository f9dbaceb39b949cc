//go:build !linux

package ports

import "net"

// reserve only picks a port that is free now: outside Linux a bound socket
// would keep the program itself from listening.
func reserve() (number int, release func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // listening on loopback does not wait
	if err != nil {
		return 0, nil, err
	}
	number = l.Addr().(*net.TCPAddr).Port
	return number, func() {}, l.Close()
}
