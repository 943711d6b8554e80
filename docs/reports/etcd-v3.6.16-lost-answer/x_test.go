// The rule: No key is left behind by an acquisition that failed or was released.
// c1's acquire failed, but etcd had its key, which kept c1 itself waiting for 2m6.697s.
//
// What happens:
//
//  1. 0.0000s c1 asks for the lock
//  2. 0.0020s etcd1 creates the key for c1 (/lock/99c759a64000001, ends with c1's lease)
//  3. 0.5026s c1 does not learn whether it has the lock: rpc error: code = Unavailable desc = error
//     reading from server: read tcp 10.0.0…
//
// Found in a simulation (lockpick 0.2.0, go 1.26.8); this test shows it on real servers. It fails as
// long as the library does so. Run it by: go test .
//
// It passes with go.etcd.io/etcd/client/v3@v3.5.35,go.etcd.io/etcd/api/v3@v3.5.35,go.etcd.io/etcd/client/pkg/v3@v3.5.35:
//
//	go get go.etcd.io/etcd/client/v3@v3.5.35 go.etcd.io/etcd/api/v3@v3.5.35 go.etcd.io/etcd/client/pkg/v3@v3.5.35 && go mod tidy && go test .
package reproduction

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func TestNoOrphanInLostReply(t *testing.T) {
	ctx := t.Context()
	server := etcdServer(t)
	const ttl = 2 * time.Second
	c1Network := newNetwork(t, server, passEtcd)
	c1 := newProgram(newClient(t, "c1", ttl, c1Network.Address))

	c1Network.LoseAnswer("Txn")
	_, acquireErr := c1.Acquire(ctx)
	t.Logf("Acquire of c1: %v", acquireErr)
	time.Sleep(time.Second) // what still cleans up
	if left := etcdRecord(t, server); acquireErr != nil && left != "" {
		t.Errorf("no-orphan: Acquire has failed, but its record is left in the store: %q", left)
	}
}

func newProgram(c *client) Locker {
	return &program{client: etcdConnect(c), clock: c.Clock(), prefix: "/" + c.LockName(), ttl: int64(c.TTL().Seconds())}
}

// program is a process that uses concurrency.Mutex over two sessions, in turn, as from a
// pool. What fails is given up, until that succeeds.
type program struct {
	client   *clientv3.Client
	clock    clockwork.Clock
	prefix   string
	ttl      int64 // in seconds
	sessions [2]*concurrency.Session
	next     int // the session that is used next
}

// Acquire acquires the lock. If that fails nothing should be left. Unlock comes after a pause:
// at once, it may overtake the transaction of Lock, which the server that the connection led to
// has yet to forward to the leader. Then the key is left behind in v3.5 as well.
func (p *program) Acquire(ctx context.Context) (Lease, error) {
	s, err := p.session(ctx)
	if err != nil {
		return nil, err
	}
	m := concurrency.NewMutex(s, p.prefix)
	if err := m.Lock(ctx); err != nil {
		p.clock.Sleep(pause)
		p.unlock(m)
		return nil, err
	}
	return &held{p, m, s}, nil
}

// session returns the session whose turn it is.
func (p *program) session(ctx context.Context) (*concurrency.Session, error) {
	s := &p.sessions[p.next]
	p.next = (p.next + 1) % len(p.sessions)
	if *s != nil {
		select {
		case <-(*s).Done():
		default:
			return *s, nil
		}
	}
	lease, err := p.client.Grant(ctx, p.ttl)
	if err != nil {
		return nil, err
	}
	*s, err = concurrency.NewSession(p.client, concurrency.WithLease(lease.ID))
	return *s, err
}

// unlock calls Unlock until it succeeds, or says that there is nothing to unlock.
func (p *program) unlock(m *concurrency.Mutex) {
	for p.client.Ctx().Err() == nil {
		// v3.6 has an error for it, ErrLockReleased, and v3.5 has none.
		if err := m.Unlock(p.client.Ctx()); err == nil || strings.Contains(err.Error(), "already been released") {
			return
		}
		p.clock.Sleep(pause)
	}
}

// pause is the time between two tries.
const pause = 500 * time.Millisecond

type held struct {
	of      *program
	mutex   *concurrency.Mutex
	session *concurrency.Session
}

// Release releases the lock.
func (h *held) Release(ctx context.Context) error {
	err := h.mutex.Unlock(ctx)
	if err != nil {
		h.of.unlock(h.mutex)
	}
	return err
}

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

// Clock is the machine's.
func (c *client) Clock() clockwork.Clock { return clockwork.NewRealClock() }

// Addresses are those of its servers.
func (c *client) Addresses() []string { return c.addresses }

// Cleanup registers what ends the client's connections.
func (c *client) Cleanup(f func()) {
	if c.t != nil { // else it ends with its process
		c.t.Cleanup(f)
	}
}

// etcdConnect makes the client of a process.
func etcdConnect(c *client) *clientv3.Client {
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Addresses(), Logger: zap.NewNop()})
	if err != nil {
		panic(err) // there are no addresses
	}
	c.Cleanup(func() { _ = client.Close() })
	return client
}

// lockName is the name of the lock.
const lockName = "lock"

// etcdServer is the address of an etcd without the lock: $ETCD_ADDR, or an etcd of its own.
func etcdServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv("ETCD_ADDR")
	if address == "" {
		address = startEtcd(t)
	}
	client := etcdClient(t, address)
	if _, err := client.Delete(t.Context(), "/"+lockName, clientv3.WithPrefix()); err != nil {
		t.Fatal(err)
	}
	return address
}

// startEtcd starts a server.
func startEtcd(t testing.TB) (address string) {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		missing(t, "etcd is not installed, and ETCD_ADDR names no etcd")
	}
	address = freeAddress(t)
	peers := "http://" + freeAddress(t)
	server := exec.Command("etcd", "--data-dir", t.TempDir(), "--listen-client-urls", "http://"+address, "--advertise-client-urls", "http://"+address,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	awaitListener(t, address)
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

// awaitListener waits until somebody listens.
func awaitListener(t testing.TB, address string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("nobody listens on %s: %v", address, err)
		}
	}
}

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// etcdClient is a client of the test's own.
func etcdClient(t testing.TB, address string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
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

// passEtcd carries requests and answers over HTTP/2. A word is the method of a request, such as Txn.
func passEtcd(n *network, client, server net.Conn) {
	defer cut(client, server)
	var rules sync.Map // by the numbers of streams
	go func() {
		defer cut(client, server)
		var sent bytes.Buffer
		r := io.TeeReader(client, &sent)
		if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		frames := http2.NewFramer(nil, r)
		frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		for {
			frame, err := frames.ReadFrame()
			if err != nil {
				return
			}
			if headers, ok := frame.(*http2.MetaHeadersFrame); ok {
				path := headers.PseudoValue("path")
				held := n.of(func(word string) bool { return strings.HasSuffix(path, "/"+word) })
				held.sent()
				if held != nil {
					rules.Store(headers.StreamID, held)
				}
			}
			if _, err := sent.WriteTo(server); err != nil {
				return
			}
		}
	}()
	var got bytes.Buffer
	frames := http2.NewFramer(nil, io.TeeReader(server, &got))
	for {
		frame, err := frames.ReadFrame()
		if err != nil {
			return
		}
		if held, ok := rules.LoadAndDelete(frame.Header().StreamID); ok && held.(*rule).answered() {
			return
		}
		if _, err := got.WriteTo(client); err != nil {
			return
		}
	}
}

// newClient returns a client of servers.
func newClient(t testing.TB, name string, ttl time.Duration, addresses ...string) *client {
	return &client{t, name, addresses, ttl}
}

// etcdRecord is what etcd has under the lock's name: keys with their revisions, empty if none.
func etcdRecord(t testing.TB, address string) string {
	t.Helper()
	answer, err := etcdClient(t, address).Get(context.Background(), "/"+lockName, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, kv := range answer.Kvs {
		list = append(list, fmt.Sprintf("%s of revision %d", kv.Key, kv.CreateRevision))
	}
	return strings.Join(list, ", ")
}
