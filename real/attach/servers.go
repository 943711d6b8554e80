package attach

import (
	"slices"
	"sync"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Resetting are [confirm.Servers] that can be used again: Reset ends all sessions and removes all records, tables and
// scripts. Its error means that they cannot be used.
type Resetting interface{ Reset() error }

// idle are the servers of runs that are over, which further runs use: a database server takes a second to start.
type idle struct {
	mu   sync.Mutex
	list []confirm.Servers
}

// take returns idle servers, or starts some.
func (i *idle) take(t *Target) (confirm.Servers, error) {
	i.mu.Lock()
	if n := len(i.list); n > 0 {
		s := i.list[n-1]
		i.list = i.list[:n-1]
		i.mu.Unlock()
		return s, nil
	}
	i.mu.Unlock()
	return t.Store.Start(t.nodes(), false, t.Lease)
}

// give takes servers back after a run. They are stopped unless they are like new ones.
func (i *idle) give(s confirm.Servers, nodes [][]string) {
	if !isReset(s, nodes) {
		s.Stop()
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.list = append(i.list, s)
}

// isReset resets servers, and reports whether they have no records then. Followers are not reset.
func isReset(s confirm.Servers, nodes [][]string) bool {
	r, can := s.(Resetting)
	if !can || slices.ContainsFunc(nodes, func(list []string) bool { return len(list) > 1 }) || r.Reset() != nil {
		return false
	}
	for _, list := range nodes {
		if records, err := s.Records(list[0]); err != nil || len(records) > 0 {
			return false
		}
	}
	return true
}

// stop stops the idle servers.
func (i *idle) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, s := range i.list {
		s.Stop()
	}
	i.list = nil
}
