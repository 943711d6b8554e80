package checker

import "github.com/lockpick-dev/lockpick/model"

// An Endings answers why grants of a lock ended, what held their holders up, and whether a violation is therefore a limit
// of leases or a fault of the lock. It is not safe for concurrent use.
type Endings struct {
	*Holders
	h *model.History
	o HoldersOptions
	// selfRenewed has, by the ID of an acquisition, the servers that were seen to renew
	// its lease though nobody had called for it. Nil until that is asked for.
	selfRenewed map[int][]string
}

// NewEndings returns the Endings of a history.
func NewEndings(h *model.History, o HoldersOptions) *Endings {
	return &Endings{Holders: NewHolders(h, o), h: h, o: o}
}
