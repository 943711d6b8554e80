package attach

import (
	"fmt"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Target is what a search runs: a command, over a store.
type Target struct {
	// Command is the program of a client process and its arguments, and Dir its working directory, empty for that of this
	// process.
	Command []string
	Dir     string
	// Store has the real servers, StoreID is its ID and Terms are its nouns.
	Store   confirm.Store
	StoreID string
	Terms   model.Terms
	// Lease is the length of leases.
	Lease time.Duration
	// Clients is the number of clients, Servers that of independent servers, and Followers that of the followers of each.
	Clients, Servers, Followers int
}

// The limits of a target.
const (
	MostClients = 9
	MostServers = 9
	MinLease    = 100 * time.Millisecond
	MaxLease    = time.Minute
)

// nodes returns the names of the nodes of each server. The first node of each serves first.
func (t *Target) nodes() (list [][]string) {
	n := 0
	for range t.Servers {
		var server []string
		for range 1 + t.Followers {
			n++
			server = append(server, fmt.Sprintf("n%d", n))
		}
		list = append(list, server)
	}
	return list
}

// names returns the names of the clients.
func (t *Target) names() (list []string) {
	for i := range t.Clients {
		list = append(list, fmt.Sprintf("c%d", i+1))
	}
	return list
}

// seats has the serving node of each server. The run changes it, and the gates read it.
type seats struct {
	mu    sync.Mutex
	names []string
}

func (s *seats) of(server int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[server]
}

func (s *seats) set(server int, node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[server] = node
}
