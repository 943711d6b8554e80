package confirm

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// gate stands between one client and one server: it holds each request, and each answer, until the driver lets
// it through. It listens on the loopback interface.
type gate struct {
	client   string
	listener net.Listener
	frame    func(*bufio.Reader) ([]byte, error)
	// target is the node that serves the client; its name is empty if none does. Reaches is false while the
	// network keeps the client from it.
	target   func() (node, address string, reaches bool)
	requests chan<- *request
	closed   chan<- *link
	over     chan struct{} // closed when nobody listens any more

	mu    sync.Mutex
	links []*link
}

// link is a connection of the client's, and the one to the server for it.
type link struct {
	gate           *gate
	node           string
	client, server net.Conn
	answers        chan []byte // of the server, in order; closed at its end
	gone           bool        // the client has hung up; the driver's
	opened         bool        // all passes; the driver's
	sent           []*request  // whose answers the client has not got; the driver's
}

// request is a request of a client. What is not its frame is the driver's.
type request struct {
	*link
	frame []byte
	// by is whose it is, inOrder is set if it is a step, and wasParted if a partition has held it.
	by                 model.Origin
	inOrder, wasParted bool
	// changed is set when its effect has been seen.
	changed bool
	// answer is the server's, if it has answered, or if its connection has ended (nil).
	answer              []byte
	answered, delivered bool
}

func newGate(client string, frame func(*bufio.Reader) ([]byte, error), target func() (string, string, bool), requests chan<- *request, closed chan<- *link) (*gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gate{client: client, listener: l, frame: frame, target: target, requests: requests, closed: closed, over: make(chan struct{})}
	go g.accept()
	return g, nil
}

func (g *gate) accept() {
	for {
		c, err := g.listener.Accept()
		if err != nil {
			return
		}
		go g.connect(c)
	}
}

// connect connects a client to who serves it, once the network lets it.
func (g *gate) connect(c net.Conn) {
	node, address, reaches := g.target()
	for ; !reaches; node, address, reaches = g.target() {
		select {
		case <-g.over:
			_ = c.Close()
			return
		case <-time.After(time.Millisecond):
		}
	}
	var server net.Conn
	err := errors.New("no node serves")
	if node != "" {
		server, err = net.Dial("tcp", address)
	}
	if err != nil {
		reset(c)
		return
	}
	k := &link{gate: g, node: node, client: c, server: server, answers: make(chan []byte, 64)}
	g.mu.Lock()
	g.links = append(g.links, k)
	g.mu.Unlock()
	go k.readClient()
	go k.readServer()
}

// carryAll passes on what the server sends unasked.
func (k *link) carryAll() {
	for frame := range k.answers {
		_, _ = k.client.Write(frame) // it may have hung up
	}
}

// readClient reads requests until the client hangs up. The connection to the server stays open: what is under way
// may still reach it.
func (k *link) readClient() {
	r := bufio.NewReader(k.client)
	for {
		frame, err := k.gate.frame(r)
		if err != nil {
			select {
			case k.gate.closed <- k:
			case <-k.gate.over:
			}
			return
		}
		select {
		case k.gate.requests <- &request{link: k, frame: frame}:
		case <-k.gate.over:
			return
		}
	}
}

// readServer reads answers until the server hangs up, and then ends the client's connection as well.
func (k *link) readServer() {
	defer close(k.answers)
	r := bufio.NewReader(k.server)
	for {
		frame, err := k.gate.frame(r)
		if err != nil {
			reset(k.client)
			return
		}
		select {
		case k.answers <- frame:
		case <-k.gate.over:
			return
		}
	}
}

// reset closes a connection with a reset, so that what was on its way is lost.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // it may be closed already
	}
	_ = c.Close()
}

// close ends everything.
func (g *gate) close() {
	close(g.over)
	_ = g.listener.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range g.links {
		_ = k.client.Close()
		_ = k.server.Close()
	}
}
