package sim

import (
	"context"
	"net"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// dialersKnown is set if the dialers of package net connect to the simulated network, for libraries that take an address and
// no dialer: the program was built with the overlay.
var dialersKnown = goruntime.SetDial(dialByNet)

// dialByNet is what a [net.Dialer] does first. It connects goroutines of a process to addresses of the simulated network: IP literals that are no
// loopback addresses.
func dialByNet(ctx context.Context, network, addr string) (c net.Conn, simulated bool, err error) {
	p, known := goruntime.Owner().(*Process)
	host, _, splits := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); !known || splits != nil || ip == nil || ip.IsLoopback() {
		return nil, false, nil
	}
	c, err = p.DialContext(ctx, network, addr, 0)
	return c, true, err
}

// own marks the calling goroutine, and those that it starts, as the process's, if that is asked for ([dialByNet]).
func (p *Process) own() {
	if dialersKnown {
		goruntime.Own(p.name, p)
	}
}
