package gate

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Gate is a proxy between one client and one server. It passes each message of both to a driver, which lets it through.
// It listens on the loopback interface.
type Gate struct {
	// Client is the name of the client.
	Client string

	listener net.Listener
	converse func() Conversation
	target   Target
	passes   chan<- Passage
	over     chan struct{} // closed once the gate no longer listens

	mu    sync.Mutex
	links []*Link
}

// Target returns the node that serves a client; its name is empty if none does. Reaches is false while the network keeps
// the client from it.
type Target func() (node, address string, reaches bool)

// Passage is a message from an end of a link or, without a message, the end's closing.
type Passage struct {
	*Link
	ByServer bool
	Message  *Message
	At       time.Time
	Broken   bool // the end was not orderly
}

// Link is a connection of the client's, and the one to the server for it.
type Link struct {
	Gate *Gate
	// Node is the node that the connection reaches.
	Node string
	// Client and Server are the gate's connections to both.
	Client, Server net.Conn

	mu   sync.Mutex
	read Conversation
}

// New returns a gate for a client that passes messages to a channel. The caller closes it.
func New(client string, converse func() Conversation, target Target, passes chan<- Passage) (*Gate, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &Gate{Client: client, listener: l, converse: converse, target: target, passes: passes, over: make(chan struct{})}
	go g.accept()
	return g, nil
}

// Address returns the host and port at which it listens.
func (g *Gate) Address() string { return g.listener.Addr().String() }

func (g *Gate) accept() {
	for {
		c, err := g.listener.Accept()
		if err != nil {
			return
		}
		go g.connect(c)
	}
}

// connect connects a client to the node that serves it, once the network permits.
func (g *Gate) connect(c net.Conn) {
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
		Reset(c)
		return
	}
	k := &Link{Gate: g, Node: node, Client: c, Server: server, read: g.converse()}
	g.mu.Lock()
	g.links = append(g.links, k)
	g.mu.Unlock()
	// The connection to the server stays open when the client hangs up: messages under way may still reach it.
	go k.carry(c, Conversation.Client, false)
	go k.carry(server, Conversation.Server, true)
}

// carry reads messages of one end until it hangs up.
func (k *Link) carry(from net.Conn, read func(Conversation, []byte) ([]Message, error), byServer bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		k.mu.Lock()
		list, unread := read(k.read, buffer[:n])
		k.mu.Unlock()
		for i := range list {
			if !k.pass(Passage{Link: k, ByServer: byServer, Message: &list[i], At: time.Now()}) {
				return
			}
		}
		if err != nil || unread != nil {
			k.pass(Passage{Link: k, ByServer: byServer, At: time.Now(), Broken: !errors.Is(err, io.EOF)})
			return
		}
	}
}

// Session returns the name of the connection's session, if its store has sessions.
func (k *Link) Session() (name string, has bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, has := k.read.(Sessional)
	if !has {
		return "", false
	}
	return s.Session(), true
}

func (k *Link) pass(p Passage) bool {
	select {
	case k.Gate.passes <- p:
		return true
	case <-k.Gate.over:
		return false
	}
}

// Reset closes a connection with a reset, so that messages on their way are lost.
func Reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // it may be closed already
	}
	_ = c.Close()
}

// Close ends everything.
func (g *Gate) Close() {
	close(g.over)
	_ = g.listener.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range g.links {
		_ = k.Client.Close()
		_ = k.Server.Close()
	}
}
