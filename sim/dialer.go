package sim

import (
	"context"
	"net"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

func init() { goruntime.SetDial(dialByNet) }

// dialByNet is called first by each [net.Dialer] in a program that was built with the overlay, for libraries that take
// an address but no dialer. It connects goroutines of a process to addresses of the simulated network: IP literals
// other than loopback addresses.
func dialByNet(ctx context.Context, network, addr string) (c net.Conn, simulated bool, err error) {
	p, known := goruntime.Owner().(*Process)
	host, _, splits := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); !known || splits != nil || ip == nil || ip.IsLoopback() {
		return nil, false, nil
	}
	c, err = p.DialContext(ctx, network, addr, 0)
	return c, true, err
}
