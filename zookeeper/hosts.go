package zookeeper

import (
	"encoding/json"
	"os"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/zookeeper/real"
)

// hosts are the servers' addresses, in turn, as zk.DNSHostProvider goes through them.
type hosts struct {
	list []string
	at   int // the present one
	last int // the one of the last success; -1 before the first round
}

// Init takes the addresses.
func (h *hosts) Init(servers []string) error {
	h.list, h.at, h.last = servers, -1, -1
	return nil
}

// Len is how many there are.
func (h *hosts) Len() int { return len(h.list) }

// Next is the next server, and whether all were tried since the last success.
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

// routed are the addresses in an order of their own, however the library has shuffled them.
type routed struct {
	hosts
	order []string
}

// Init puts the addresses into that order.
func (r *routed) Init([]string) error { return r.hosts.Init(r.order) }

// route is how a client of cell.NewRealClient goes through the addresses: in the order that its environment names, and
// otherwise as the library does.
func route(addresses []string) zk.HostProvider {
	var order []int
	if json.Unmarshal([]byte(os.Getenv(real.HostsVariable)), &order) != nil || len(order) != len(addresses) {
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
