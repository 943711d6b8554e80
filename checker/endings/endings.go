package endings

import (
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// An Endings answers why grants of a lock ended, what held their holders up, and whether a violation is therefore a limit
// of leases or a fault of the lock. It is not safe for concurrent use.
type Endings struct {
	*holders.Holders
	h *model.History
	o holders.Options
	// selfRenewed has, by the ID of an acquisition, the servers that were seen to renew
	// its lease though nobody had called for it. Nil until that is asked for.
	selfRenewed map[int][]string
}

// New returns the Endings of a history.
func New(h *model.History, o holders.Options) *Endings {
	return &Endings{Holders: holders.New(h, o), h: h, o: o}
}
