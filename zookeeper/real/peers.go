package real

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// network is what the members of an ensemble hear of each other: what one sends another goes through a proxy, which knows
// both. There are connections of followers to their leader, and such for votes.
type network struct {
	over    context.Context
	end     context.CancelFunc
	all     realserver.Network // of all that they send
	voting  realserver.Network // of votes, beside that
	mu      sync.Mutex
	proxies map[way]*proxy
	open    []io.Closer
}

// way is from whom to whom a connection is made, and what for.
type way struct {
	from, to string
	votes    bool
}

// proxy takes the connections of one member to another.
type proxy struct {
	*network
	way
	listener net.Listener
	address  string       // at which the other listens, set before anybody connects
	newest   atomic.Int64 // the number of the newest connection
}

func newNetwork() *network {
	n := &network{proxies: map[way]*proxy{}}
	n.over, n.end = context.WithCancel(context.Background())
	return n
}

// join lets one member reach another, as a follower and to vote.
func (n *network) join(from, to string) error {
	for _, votes := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		p := &proxy{network: n, way: way{from, to, votes}, listener: l}
		n.proxies[p.way] = p
		n.keep(l)
	}
	return nil
}

// begin begins to carry what members send a member, which listens at two addresses: to followers, and to votes.
func (n *network) begin(to, leads, elects string) {
	for w, p := range n.proxies { // unordered: each by itself
		if w.to == to {
			p.address = map[bool]string{false: leads, true: elects}[w.votes]
			go p.accept()
		}
	}
}

// reached is where one member reaches another, as a follower, and to vote.
func (n *network) reached(from, to string) [2]string {
	return [2]string{n.proxies[way{from, to, false}].addr(), n.proxies[way{from, to, true}].addr()}
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

// close ends all connections.
func (n *network) close() {
	n.end()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.open {
		_ = c.Close()
	}
}

// keep has something closed at the end.
func (n *network) keep(c io.Closer) {
	n.mu.Lock()
	n.open = append(n.open, c)
	n.mu.Unlock()
	if n.over.Err() != nil {
		_ = c.Close()
	}
}

// wait waits until what one member sends another passes, and reports whether it does before the end.
func (n *network) wait(from, to string, votes bool) bool {
	return n.waitUnless(from, to, votes, func() bool { return false })
}

// waitUnless is wait, and reports false once there is a reason not to wait any more.
func (n *network) waitUnless(from, to string, votes bool, over func() bool) bool {
	for !over() {
		if !n.all.Holds(from, to) && !(votes && n.voting.Holds(from, to)) {
			return true
		}
		select {
		case <-n.over.Done():
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return false
}

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.keep(c)
		go p.connect(c)
	}
}

// listensWithin is how long after its election a leader listens to its followers at the latest. A follower that finds nobody
// there looks for another leader, so its proxy tries for as long.
const listensWithin = time.Second

// connect connects a member to the other once it may reach it. Of several connections that wait, the newest one is what the member
// uses.
func (p *proxy) connect(from net.Conn) {
	defer from.Close()
	number := p.newest.Add(1)
	if !p.waitUnless(p.from, p.to, p.votes, func() bool { return p.newest.Load() != number }) {
		return
	}
	var tries time.Duration
	if !p.votes {
		tries = listensWithin
	}
	var to net.Conn
	if err := realserver.Eventually(tries, func() (err error) { to, err = net.Dial("tcp", p.address); return err }); err != nil {
		return
	}
	p.keep(to)
	var both sync.WaitGroup
	both.Go(func() { p.carry(to, p.introduced(from), p.from, p.to) })
	both.Go(func() { p.carry(from, to, p.to, p.from) })
	both.Wait()
}

// carry brings what one member sends to the other, and then the end of it.
func (p *proxy) carry(to io.WriteCloser, from io.Reader, sender, receiver string) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if !p.wait(sender, receiver, p.votes) {
			return
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// introduced is what a member sends to vote. It begins with an address at which the other may reach it: that is the other's proxy.
func (p *proxy) introduced(from net.Conn) io.Reader {
	if !p.votes {
		return from
	}
	return &introduction{Reader: from, address: p.proxies[way{p.to, p.from, true}].addr()}
}

// introduction is a connection for votes, with another address in what comes first: the version of the protocol, the number of
// the sender, and its address with the length of that (QuorumCnxManager.InitialMessage of ZooKeeper 3.5 and later).
type introduction struct {
	io.Reader
	address string
	rest    []byte // what has not been read yet
	done    bool
}

// versions of the protocol are below zero; before there were any, the number of the sender came first.
const (
	before = 8 + 8
	length = 4
	most   = 1 << 10
)

func (i *introduction) Read(b []byte) (int, error) {
	if !i.done {
		i.done = true
		if err := i.begin(); err != nil {
			return 0, err
		}
	}
	if len(i.rest) > 0 {
		n := copy(b, i.rest)
		i.rest = i.rest[n:]
		return n, nil
	}
	return i.Reader.Read(b)
}

// begin reads what comes first.
func (i *introduction) begin() error {
	head := make([]byte, before+length)
	if _, err := io.ReadFull(i.Reader, head); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[before:])
	if int64(binary.BigEndian.Uint64(head)) >= 0 || n > most {
		return fmt.Errorf("an introduction that begins with % x", head)
	}
	if _, err := io.CopyN(io.Discard, i.Reader, int64(n)); err != nil {
		return err
	}
	i.rest = append(binary.BigEndian.AppendUint32(head[:before], uint32(len(i.address))), i.address...)
	return nil
}
