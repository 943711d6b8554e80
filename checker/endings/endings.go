package endings

import (
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// An Endings finds why grants of a lock ended, what held their holders up, and so whether a violation is a limit of leases
// or a fault of the lock. It is not safe for concurrent use.
type Endings struct {
	*holders.Holders
	h *model.History
	o holders.Options
	// selfRenewed has, by the ID of an acquisition, the servers that saw its lease renewed without a call. Nil until first
	// used.
	selfRenewed map[int][]string
}

// New returns the Endings of a history.
func New(h *model.History, o holders.Options) *Endings {
	return &Endings{Holders: holders.New(h, o), h: h, o: o}
}
