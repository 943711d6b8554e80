package parts

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Network is between a client and its server. It lets everything pass but what a rule says.
type Network struct {
	Address string // where the client connects to

	mu    sync.Mutex
	rules []*Rule
}

// NewNetwork returns a network before a server. Pass carries what is sent on one connection, and knows the protocol.
func NewNetwork(t testing.TB, server string, pass func(n *Network, client, server net.Conn)) *Network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	n := &Network{Address: l.Addr().String()}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			t.Cleanup(func() { Cut(client, server) })
			go pass(n, client, server)
		}
	}()
	return n
}

// Cut ends a connection at once.
func Cut(conns ...net.Conn) {
	for _, c := range conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
}

// Rule is what becomes of the next request with a word, and of its answer.
type Rule struct {
	word            string
	request, answer bool          // held
	came            chan struct{} // closed when it is there
	free            chan struct{} // closed when it may go on
	lost            bool
}

func (n *Network) rule(r Rule) *Rule {
	r.came, r.free = make(chan struct{}), make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rules = append(n.rules, &r)
	return &r
}

// LoseAnswer loses the answer to the next request with the word, with the connection: the request is executed.
func (n *Network) LoseAnswer(word string) *Rule {
	return n.rule(Rule{word: word, lost: true})
}

// HoldAnswer holds the answer to the next request with the word.
func (n *Network) HoldAnswer(word string) *Rule { return n.rule(Rule{word: word, answer: true}) }

// HoldRequest holds the next request with the word.
func (n *Network) HoldRequest(word string) *Rule { return n.rule(Rule{word: word, request: true}) }

// Await waits until the message is there.
func (r *Rule) Await(t testing.TB) {
	t.Helper()
	select {
	case <-r.came:
	case <-time.After(patience):
		t.Fatalf("no %s comes", r.word)
	}
}

// Release lets the message go on.
func (r *Rule) Release() { close(r.free) }

// Lose loses the message, with its connection.
func (r *Rule) Lose() {
	r.lost = true
	close(r.free)
}

// of returns the rule for a request, once.
func (n *Network) of(is func(word string) bool) *Rule {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, r := range n.rules {
		if is(r.word) {
			n.rules = append(n.rules[:i:i], n.rules[i+1:]...)
			return r
		}
	}
	return nil
}

// again puts a rule back, for the next request.
func (n *Network) again(r *Rule) {
	if r != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.rules = append([]*Rule{r}, n.rules...)
	}
}

// sent holds a request, if the rule says so.
func (r *Rule) sent() {
	if r != nil && r.request {
		close(r.came)
		<-r.free
	}
}

// answered holds an answer, if the rule says so, and reports whether it is lost.
func (r *Rule) answered() (lost bool) {
	if r != nil && r.answer {
		close(r.came)
		<-r.free
	}
	return r != nil && r.lost
}

// Pass lets so many requests with the word pass, before the next rule counts.
func (n *Network) Pass(word string, count int) {
	for range count {
		n.rule(Rule{word: word})
	}
}
