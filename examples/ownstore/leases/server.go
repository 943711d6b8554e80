package leases

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Server is a server of one process, which keeps leases in memory. It is safe for concurrent use.
type Server struct {
	clock  clockwork.Clock
	mu     sync.Mutex
	leases map[string]granted
	tokens int64
}

// granted is a lease as it was granted, which may be over.
type granted struct {
	holder string
	token  int64
	ends   time.Time
}

// NewServer returns a server without leases, which are measured by the clock.
func NewServer(clock clockwork.Clock) *Server {
	return &Server{clock: clock, leases: map[string]granted{}}
}

// Serve serves the listener's connections until that is closed.
func (s *Server) Serve(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer func() { _ = conn.Close() }()
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				if _, err := fmt.Fprintln(conn, s.Answer(lines.Text())); err != nil {
					return
				}
			}
		}()
	}
}

// Answer carries out a request.
func (s *Server) Answer(line string) string {
	r, err := Parse(line)
	if err != nil {
		return "ERR"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, held := s.leases[r.Name]
	held = held && s.clock.Now().Before(old.ends)
	switch {
	case r.Op == Take && held && old.holder == r.Holder:
		return fmt.Sprint("OK ", old.token)
	case r.Op == Take && held:
		return "BUSY"
	case r.Op == Take:
		s.tokens++
		s.leases[r.Name] = granted{r.Holder, s.tokens, s.clock.Now().Add(r.Length)}
		return fmt.Sprint("OK ", s.tokens)
	case !held || r.Op == Free && old.holder != r.Holder:
		return "NO"
	case r.Op == Show:
		return "OK " + old.holder
	}
	delete(s.leases, r.Name)
	return "OK"
}
