// The rule: No znode is left behind by an acquisition that failed or was released.
// c1's acquire failed, but ZooKeeper had its znode, which kept c1 itself waiting for 2m7.194s.
//
// What happens:
//
//  1. 0.0052s zk1 creates the znode for c1 (/lock/…000000, ends with c1's session)
//  2. 0.0060s zk2 sends the answer to getChildren2 /lock to c1, whose connection breaks before it
//     arrives
//  3. 0.0062s c1 does not learn whether it has the lock: zk: connection closed
//
// Found in a simulation (lockpick 0.2.0, go 1.26.8, go-zookeeper/zk v1.0.4); this test shows it on
// real servers. It fails as long as the library does so. Run it by: go test .
package reproduction

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

func TestNoOrphanInLostReply(t *testing.T) {
	ctx := t.Context()
	server := zooKeeperServer(t)
	const ttl = 2 * time.Second
	c1Network := newNetwork(t, server, passZooKeeper)
	c1 := newLock(newClient(t, "c1", ttl, c1Network.Address))

	c1Network.LoseAnswer("children")
	_, acquireErr := c1.Acquire(ctx)
	t.Logf("Acquire of c1: %v", acquireErr)
	time.Sleep(time.Second) // what still cleans up
	if left := zooKeeperRecord(t, server); acquireErr != nil && left != "" {
		t.Errorf("no-orphan: Acquire has failed, but its record is left in the store: %q", left)
	}
}

// newLock makes a zk.Lock for each acquisition.
func newLock(c *client) Locker {
	conn, _ := zooKeeperConnect(c)
	return locker{func() *zk.Lock { return zk.NewLock(conn, "/"+c.LockName(), zk.WorldACL(zk.PermAll)) }}
}

// locker takes a zk.Lock for each acquisition, over one session. The library's calls take no
// context: one that has ended is noticed when the call returns.
type locker struct{ take func() *zk.Lock }

func (l locker) Acquire(context.Context) (Lease, error) {
	k := l.take()
	if err := k.Lock(); err != nil {
		return nil, err
	}
	return lease{k}, nil
}

type lease struct{ *zk.Lock }

func (l lease) Release(context.Context) error { return l.Unlock() }

// A Locker acquires one named lock. One Locker belongs to one client process
// and is shared by its threads, so Acquire must be safe for concurrent use.
type Locker interface {
	// Acquire blocks until the lock is held, ctx is done, or the locker gives
	// up.
	Acquire(ctx context.Context) (Lease, error)
}

// A Lease is one acquisition of a lock. Its methods are called by one
// goroutine at a time.
type Lease interface {
	// Release gives the lock up. It returns ErrNotHeld when the caller is known not
	// to have had the lease any more; after any other error the lock may or may not
	// have been given up.
	Release(ctx context.Context) error
}

// client is who uses the lock: its servers, and what the lock asks it for.
type client struct {
	t         testing.TB
	name      string
	addresses []string
	ttl       time.Duration
}

// LockName is the name of the lock.
func (c *client) LockName() string { return lockName }

// TTL is how long a lease lasts.
func (c *client) TTL() time.Duration { return c.ttl }

// Addresses are those of its servers.
func (c *client) Addresses() []string { return c.addresses }

// Cleanup registers what ends the client's connections.
func (c *client) Cleanup(f func()) {
	if c.t != nil { // else it ends with its process
		c.t.Cleanup(f)
	}
}

// zooKeeperConnect opens a session of a client.
func zooKeeperConnect(c *client) (*zk.Conn, <-chan zk.Event) {
	conn, events, err := zk.Connect(c.Addresses(), c.TTL(), zk.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		panic(err) // there are no addresses
	}
	c.Cleanup(conn.Close)
	return conn, events
}

// lockName is the name of the lock.
const lockName = "lock"

// zooKeeperServer is the address of a ZooKeeper without the lock: $ZOOKEEPER_ADDR, 127.0.0.1:2181, or one of its own where Debian's
// package is installed.
func zooKeeperServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv("ZOOKEEPER_ADDR")
	if address == "" {
		address = "127.0.0.1:2181"
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
		} else {
			address = startZooKeeper(t)
		}
	}
	conn := zooKeeperSession(t, address)
	children, _, err := conn.Children("/" + lockName)
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		t.Fatal(err)
	}
	for _, child := range children {
		_ = conn.Delete("/"+lockName+"/"+child, -1)
	}
	return address
}

// startZooKeeper starts a server.
func startZooKeeper(t testing.TB) (address string) {
	t.Helper()
	const classes = "/usr/share/java/zookeeper.jar"
	if _, err := os.Stat(classes); err != nil {
		missing(t, "there is no ZooKeeper at 127.0.0.1:2181, and ZOOKEEPER_ADDR names none")
	}
	address = freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	dir := t.TempDir()
	file := filepath.Join(dir, "zoo.cfg")
	config := fmt.Sprintf("dataDir=%s\nclientPortAddress=127.0.0.1\nclientPort=%s\ntickTime=500\npreAllocSize=64\nforceSync=no\nadmin.enableServer=false\n4lw.commands.whitelist=srvr\n", dir, port)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command("java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes, "org.apache.zookeeper.server.quorum.QuorumPeerMain", file)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	for end := time.Now().Add(patience); !zooKeeperServes(address); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no ZooKeeper serves at %s", address)
		}
	}
	return address
}

// missing skips the test, or fails it where CI is set: a server is missing.
func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// freeAddress is one on which nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// zooKeeperServes reports whether a server serves clients: it listens before it does.
func zooKeeperServes(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(conn, "srvr"); err != nil {
		return false
	}
	answer, err := io.ReadAll(conn)
	return err == nil && strings.HasPrefix(string(answer), "Zookeeper version")
}

// zooKeeperSession is a session of the test's own.
func zooKeeperSession(t testing.TB, address string) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{address}, 10*time.Second, zk.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// newNetwork returns a network before a server. Pass carries what is sent on one connection, and knows the protocol.
func newNetwork(t testing.TB, server string, pass func(n *network, client, server net.Conn)) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	n := &network{Address: l.Addr().String()}
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
			t.Cleanup(func() { cut(client, server) })
			go pass(n, client, server)
		}
	}()
	return n
}

// network is between a client and its server. It lets everything pass but what a rule says.
type network struct {
	Address string // where the client connects to

	mu    sync.Mutex
	rules []*rule
}

func (n *network) rule(r rule) *rule {
	r.came, r.free = make(chan struct{}), make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rules = append(n.rules, &r)
	return &r
}

// LoseAnswer loses the answer to the next request with the word, with the connection: the request is executed.
func (n *network) LoseAnswer(word string) *rule {
	return n.rule(rule{word: word, lost: true})
}

// of returns the rule for a request, once.
func (n *network) of(is func(word string) bool) *rule {
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

// rule is what becomes of the next request with a word, and of its answer.
type rule struct {
	word            string
	request, answer bool          // held
	came            chan struct{} // closed when it is there
	free            chan struct{} // closed when it may go on
	lost            bool
}

// Release lets the message go on.
func (r *rule) Release() { close(r.free) }

// sent holds a request, if the rule says so.
func (r *rule) sent() {
	if r != nil && r.request {
		close(r.came)
		<-r.free
	}
}

// answered holds an answer, if the rule says so, and reports whether it is lost.
func (r *rule) answered() (lost bool) {
	if r != nil && r.answer {
		close(r.came)
		<-r.free
	}
	return r != nil && r.lost
}

// cut ends a connection at once.
func cut(conns ...net.Conn) {
	for _, c := range conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
}

// passZooKeeper carries requests and answers.
func passZooKeeper(n *network, client, server net.Conn) {
	defer cut(client, server)
	var rules sync.Map // by the numbers of requests
	go func() {
		defer cut(client, server)
		for r, first := bufio.NewReader(client), true; ; first = false {
			frame, err := readFrame(r)
			if err != nil {
				return
			}
			if !first && len(frame) >= 12 {
				name := zooKeeperName(binary.BigEndian.Uint32(frame[8:]))
				held := n.of(func(word string) bool { return name == word })
				held.sent()
				if held != nil {
					rules.Store(binary.BigEndian.Uint32(frame[4:]), held)
				}
			}
			if _, err := server.Write(frame); err != nil {
				return
			}
		}
	}()
	for r, first := bufio.NewReader(server), true; ; first = false {
		frame, err := readFrame(r)
		if err != nil {
			return
		}
		if !first && len(frame) >= 8 {
			if held, ok := rules.LoadAndDelete(binary.BigEndian.Uint32(frame[4:])); ok && held.(*rule).answered() {
				return
			}
		}
		if _, err := client.Write(frame); err != nil {
			return
		}
	}
}

// readFrame reads a frame with its length.
func readFrame(r io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head)
	if size > 16<<20 {
		return nil, io.ErrUnexpectedEOF
	}
	frame := make([]byte, 4+size)
	copy(frame, head)
	_, err := io.ReadFull(r, frame[4:])
	return frame, err
}

// zooKeeperName is a request's operation.
func zooKeeperName(code uint32) string {
	switch code {
	case 1, 15, 19, 20:
		return "create"
	case 2:
		return "delete"
	case 3:
		return "exists"
	case 4:
		return "get"
	case 8, 12:
		return "children"
	}
	return "other"
}

// newClient returns a client of servers.
func newClient(t testing.TB, name string, ttl time.Duration, addresses ...string) *client {
	return &client{t, name, addresses, ttl}
}

// zooKeeperRecord is what ZooKeeper has under the lock's name: znodes, empty if none.
func zooKeeperRecord(t testing.TB, address string) string {
	t.Helper()
	children, _, err := zooKeeperSession(t, address).Children("/" + lockName)
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		t.Fatal(err)
	}
	return strings.Join(children, " ")
}
