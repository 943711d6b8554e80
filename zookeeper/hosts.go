package zookeeper

import (
	"encoding/json"
	"os"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/internal/realclient"
)

// hosts goes through the servers' addresses in turn, as zk.DNSHostProvider does.
type hosts struct {
	list []string
	at   int // the present address
	last int // the address of the last success; -1 before the first round
}

// Init sets the addresses.
func (h *hosts) Init(servers []string) error {
	h.list, h.at, h.last = servers, -1, -1
	return nil
}

// Len returns the number of addresses.
func (h *hosts) Len() int { return len(h.list) }

// Next returns the next server, and whether all have been tried since the last success.
func (h *hosts) Next() (server string, retryStart bool) {
	h.at = (h.at + 1) % len(h.list)
	retryStart = h.at == h.last
	if h.last == -1 {
		h.last = 0
	}
	return h.list[h.at], retryStart
}

// Connected begins a new round.
func (h *hosts) Connected() { h.last = h.at }

// routed is hosts with the addresses in a given order, instead of the library's random one.
type routed struct {
	hosts
	order []string
}

// Init sets the addresses in that order.
func (r *routed) Init([]string) error { return r.hosts.Init(r.order) }

// route returns the host provider of a client of cell.NewRealClient. Its order is the list of the addresses' numbers,
// from 0, in JSON, in the environment ([realclient.RouteVariable]); without one it is the library's.
func route(addresses []string) zk.HostProvider {
	var order []int
	if json.Unmarshal([]byte(os.Getenv(realclient.RouteVariable)), &order) != nil || len(order) != len(addresses) {
		return zk.NewDNSHostProvider()
	}
	r := &routed{}
	for _, at := range order {
		if at < 0 || at >= len(addresses) {
			return zk.NewDNSHostProvider()
		}
		r.order = append(r.order, addresses[at])
	}
	return r
}
