//go:build unix

package explore

import (
	"net/netip"
	"syscall"
)

// maxDescriptor is the number of file descriptors that peers looks at.
const maxDescriptor = 1024

// peers returns the addresses that sockets of this process are connected to.
func peers() (addrs []string) {
	for fd := range maxDescriptor {
		sa, err := syscall.Getpeername(fd)
		if err != nil {
			continue // not a socket, or not connected
		}
		switch sa := sa.(type) {
		case *syscall.SockaddrInet4:
			addrs = append(addrs, netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port)).String())
		case *syscall.SockaddrInet6:
			addrs = append(addrs, netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port)).String())
		case *syscall.SockaddrUnix:
			if sa.Name != "" {
				addrs = append(addrs, sa.Name)
			}
		}
	}
	return addrs
}
