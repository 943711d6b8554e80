package confirm

import "sync"

// seats has the serving node of each independent server. The driver changes it, and the gates read it.
type seats struct {
	mu    sync.Mutex
	names []string // by the server, empty if none serves
	// starting is set while a server's node starts: a connecting client then waits for it, since its start takes no time in a
	// trace.
	starting map[int]bool
}

// of returns the node that serves, empty if none does.
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

// starts records that a server's node starts, or has started.
func (s *seats) starts(server int, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting[server] = on
}

// isStarting reports whether a server's node starts.
func (s *seats) isStarting(server int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starting[server]
}

// seat makes a node serve.
func (d *driver) seat(node string) {
	d.seats.set(d.serverOf(node), node)
	d.authority[node] = true
}
