package simredis

import (
	"bytes"
	"net"
	"sync"

	"github.com/lockpick-dev/lockpick/sim"
)

// Probes are the requests of a client that asks several sentinels at once for the primary, as
// go-redis does since 9.8. The client takes the first answer and subscribes at that sentinel.
// Meanwhile it has a sync.Once locked, on which goroutines with other answers would block, so that
// virtual time would not pass. So the other answers are held back, at the client's end, until the
// subscription has been sent. The client loses nothing, since it ignores those answers.
type Probes struct {
	mu    sync.Mutex // never held while anything is waited for
	first *sim.Conn  // whose answer has come first
	over  chan struct{}
}

// NewProbes returns the probes of one search for the primary.
func NewProbes() *Probes { return &Probes{over: make(chan struct{})} }

// Conn makes a connection to a sentinel one of the probes. It sorts channels, as [Sorted] does.
func (p *Probes) Conn(c net.Conn) net.Conn {
	switch c := c.(type) {
	case *sim.Conn:
		return &probe{sorted: sorted{c}, probes: p}
	case sorted:
		return &probe{sorted: c, probes: p}
	}
	return c
}

// Over releases all answers: the client has subscribed, or cannot.
func (p *Probes) Over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.over:
	default:
		close(p.over)
	}
}

// waits returns the channel that an answer on the connection waits for; nil if it is
// the first answer.
func (p *Probes) waits(c *sim.Conn) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == nil {
		p.first = c
	}
	if p.first == c {
		return nil
	}
	return p.over
}

// isFirst reports whether the first answer came on the connection.
func (p *Probes) isFirst(c *sim.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.first == c
}

// probe is a connection to a sentinel.
type probe struct {
	sorted
	probes *Probes
	asked  bool // its last request was that for the primary
}

// Write notes the request for the primary.
func (p *probe) Write(b []byte) (int, error) {
	p.asked = bytes.Contains(b, []byte("get-master-addr-by-name"))
	return p.sorted.Write(b)
}

// Read holds an answer back that is not the first.
func (p *probe) Read(b []byte) (int, error) {
	n, err := p.sorted.Read(b)
	if !p.asked || err != nil {
		return n, err
	}
	if over := p.probes.waits(p.sorted.Conn); over != nil {
		<-over
	}
	return n, nil
}

// Close closes the connection, and releases the other answers if its answer was the
// first.
func (p *probe) Close() error {
	if p.asked && p.probes.isFirst(p.sorted.Conn) {
		p.probes.Over()
	}
	return p.sorted.Close()
}
