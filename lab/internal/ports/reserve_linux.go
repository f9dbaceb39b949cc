package ports

import (
	"os"
	"syscall"
)

// reserve binds a socket and never listens on it. To Linux that port is taken:
// neither a listener without a wish nor the local end of a connection is given
// it (net/ipv4/inet_connection_sock.c and inet_hashtables.c). A listener that
// asks for it by number gets it, since both have SO_REUSEADDR, which Go sets on
// every listener. A port that was only seen to be free can be the local end of
// somebody's connection by the time that its program starts.
func reserve() (number int, release func(), err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, os.NewSyscallError("socket", err)
	}
	release = func() { _ = syscall.Close(fd) }
	if number, err = bind(fd); err != nil {
		release()
		return 0, nil, err
	}
	return number, release, nil
}

func bind(fd int) (int, error) {
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	return name.(*syscall.SockaddrInet4).Port, nil
}
