package zklocktest

import (
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"time"
)

// Requests of ZooKeeper's protocol.
const (
	OpCreate      = 1
	OpDelete      = 2
	OpGetData     = 4
	OpGetChildren = 12
)

// A Link is a client's way to the server. It counts requests, and can be cut.
type Link struct {
	mu    sync.Mutex
	cut   bool
	deaf  bool // the next answer is lost, and the connection with it
	conns []net.Conn
	count map[int32]int
	hooks map[int32]func(send func()) // each is called once
}

func newLink() *Link { return &Link{count: map[int32]int{}, hooks: map[int32]func(func()){}} }

var errCut = errors.New("the link is cut")

func (l *Link) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return nil, errCut
	}
	c, err := net.DialTimeout(network, address, timeout)
	if err != nil {
		return nil, err
	}
	l.conns = append(l.conns, c)
	return &linked{Conn: c, link: l}, nil
}

// Set cuts the link, or joins it again.
func (l *Link) Set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	l.reset()
}

// reset ends the connections. The caller has the mutex.
func (l *Link) reset() {
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

// On calls f in place of sending the next request of a kind.
func (l *Link) On(op int32, f func(send func())) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hooks[op] = f
}

// Sent is how many requests of a kind have been sent.
func (l *Link) Sent(op int32) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count[op]
}

// Lose is for [Link.On]: the request is executed, and its answer is lost.
func (l *Link) Lose(send func()) {
	l.mu.Lock()
	l.deaf = true
	l.mu.Unlock()
	send()
}

type linked struct {
	net.Conn
	link *Link
	auth bool // the first frame has been sent
}

// Write sends a frame: the client library writes whole ones, with the length, the
// number and the kind of a request.
func (c *linked) Write(frame []byte) (n int, err error) {
	if !c.auth || len(frame) < 12 {
		c.auth = true
		return c.Conn.Write(frame)
	}
	op := int32(binary.BigEndian.Uint32(frame[8:]))
	c.link.mu.Lock()
	c.link.count[op]++
	hook := c.link.hooks[op]
	delete(c.link.hooks, op)
	c.link.mu.Unlock()
	send := func() { n, err = c.Conn.Write(frame) }
	if hook == nil {
		hook = func(send func()) { send() }
	}
	hook(send)
	return n, err
}

func (c *linked) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	if c.link.deaf && err == nil {
		c.link.deaf = false
		return 0, errCut
	}
	return n, err
}
