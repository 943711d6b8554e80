package confirm

import "sync"

// seats says which node of each independent server serves. The driver changes it, and the gates read it.
type seats struct {
	mu    sync.Mutex
	names []string // by the server, empty if none serves
}

// of is the node that serves, empty if none does.
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

// seat makes a node serve.
func (d *driver) seat(node string) {
	d.seats.set(d.serverOf(node), node)
	d.authority[node] = true
}
