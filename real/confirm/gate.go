package confirm

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// gate is a proxy between one client and one server. It passes each message of both to the driver, which lets it through.
// It listens on the loopback interface.
type gate struct {
	client   string
	listener net.Listener
	converse func() Conversation
	// target is the node that serves the client; its name is empty if none does. Reaches is false while the
	// network keeps the client from it.
	target func() (node, address string, reaches bool)
	passes chan<- passage
	over   chan struct{} // closed once the gate no longer listens

	mu    sync.Mutex
	links []*link
}

// passage is a message from an end of a link or, without a message, the end's closing.
type passage struct {
	*link
	byServer bool
	message  *Message
	at       time.Time
	broken   bool // the end was not orderly
}

// link is a connection of the client's, and the one to the server for it. The fields below the mutex belong to the driver.
type link struct {
	gate           *gate
	node           string
	client, server net.Conn

	mu   sync.Mutex
	read Conversation

	number       int              // of the connection, from 1, once the driver knows it
	over, logged bool             // for the client; in the events
	gone, ended  bool             // the client, the server has hung up
	broken       bool             // the server has done so by a reset
	hungUp       bool             // the server knows that the client has hung up
	cut          bool             // nothing reaches the server any more
	last         *request         // let through last, and asking for something
	asked        map[int]*request // let through, by their numbers
	inbox        []*answer        // sent by the server, and not delivered yet
	owed         []*request       // those without a delivered answer
}

// request is a request of a client.
type request struct {
	*link
	Message
	// at is its arrival. by is its origin, sentFor the operation of this run that was under way at its arrival, and open is
	// set until its client has the answer, or cannot get it any more.
	at      time.Time
	by      model.Origin
	sentFor int
	open    bool
	// inOrder is set if it is a step, wasParted if a partition has held it, and held if the trace may hold it.
	inOrder, wasParted, held bool
	// step is the request's step, once known before its turn, and otherwise 0. accepts is set once it is known that the server
	// would not refuse it ([Servers.Refuses]).
	step    int
	accepts bool
	// changed is set once its effect has been seen.
	changed bool
	// answer is the server's answer, and answered is set if there is one, or never will be.
	answer   *answer
	answered bool
	since    time.Time // it was let through
	// released is set once its answer's turn has come.
	released bool
}

// reply returns the answer of its server, nil if there is none.
func (r *request) reply() []byte {
	if r.answer == nil {
		return nil
	}
	return r.answer.Bytes
}

// answer is a message of a server. It may come unasked.
type answer struct {
	Message
	at time.Time
	to *request // nil if none is known
	// seen is set once the network lets the driver see it, and due once its turn has come, if it comes unasked.
	seen, due bool
}

func newGate(client string, converse func() Conversation, target func() (string, string, bool), passes chan<- passage) (*gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gate{client: client, listener: l, converse: converse, target: target, passes: passes, over: make(chan struct{})}
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

// connect connects a client to the node that serves it, once the network permits.
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
	k := &link{gate: g, node: node, client: c, server: server, read: g.converse(), asked: map[int]*request{}}
	g.mu.Lock()
	g.links = append(g.links, k)
	g.mu.Unlock()
	// The connection to the server stays open when the client hangs up: messages under way may still reach it.
	go k.carry(c, Conversation.Client, false)
	go k.carry(server, Conversation.Server, true)
}

// carry reads messages of one end until it hangs up.
func (k *link) carry(from net.Conn, read func(Conversation, []byte) ([]Message, error), byServer bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		k.mu.Lock()
		list, unread := read(k.read, buffer[:n])
		k.mu.Unlock()
		for i := range list {
			if !k.pass(passage{link: k, byServer: byServer, message: &list[i], at: time.Now()}) {
				return
			}
		}
		if err != nil || unread != nil {
			k.pass(passage{link: k, byServer: byServer, at: time.Now(), broken: !errors.Is(err, io.EOF)})
			return
		}
	}
}

func (k *link) pass(p passage) bool {
	select {
	case k.gate.passes <- p:
		return true
	case <-k.gate.over:
		return false
	}
}

// reset closes a connection with a reset, so that messages on their way are lost.
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
