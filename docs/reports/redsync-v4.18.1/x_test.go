// The rule: No key is left behind by an acquisition that failed or was released.
// c1's acquire was cancelled, but redis1 had its key, which kept c1 itself waiting for 3s.
//
// What happens:
//
//  1. 2.2175s c1 does not get the lock: lock: not acquired: lock already taken, locked nodes: [0]
//  2. 6.9854s c1 asks for the lock
//  3. 10.8609s resource c1, c2 and c3 hold the lock 5 times from 0.0017s to 10.8609s; the value is
//     now 5
//  4. 10.9227s redis1 creates the key for c1 (lock = 3fXsz2…, expires in 3s)
//  5. 10.9230s c1 no longer wants the lock: the context of its acquire ends
//  6. 10.9230s redis1 sends +OK, the answer to SET lock 3fXsz2… EX 3 NX, to c1, whose connection
//     breaks before it arrives
//  7. 10.9232s c1 does not get the lock: lock: not acquired: redsync: failed to acquire lock
//
// Found in a simulation (lockpick 0.2.0, go 1.26.8, go-redis v9.23.0); this test shows it on real
// servers. It fails as long as the library does so. Run it by: go test .
package reproduction

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"
)

func TestNoOrphanInCancel(t *testing.T) {
	ctx := t.Context()
	server := redisServer(t)
	const ttl = 3 * time.Second
	c1Network := newNetwork(t, server, passRedis)
	c1 := newLock(newClient(t, "c1", ttl, c1Network.Address))

	message1 := c1Network.HoldAnswer("SET")
	ctx23, cancel23 := context.WithCancel(ctx)
	defer cancel23()
	call := begin(func() error { _, err := c1.Acquire(ctx23); return err })
	message1.Await(t)
	cancel23() // its context ends
	message1.Lose()
	acquireErr := call.Wait(t)
	t.Logf("Acquire of c1: %v", acquireErr)
	time.Sleep(time.Second) // what still cleans up
	if left := redisRecord(t, server); acquireErr != nil && left != "" {
		t.Errorf("no-orphan: Acquire has failed, but its record is left in the store: %q", left)
	}
}

func newLock(c *client) Locker {
	var pools []redsyncredis.Pool
	for _, o := range redisAllOptions(c) {
		rdb := redis.NewClient(o)
		c.Cleanup(func() { _ = rdb.Close() })
		pools = append(pools, goredis.NewPool(rdb))
	}
	return locker{redsync.New(pools...), c.Clock(), c.LockName(), c.TTL()}
}

// locker is redsync over all independent Redis servers: one, unless the test asks for
// more. All settings but the expiry are redsync's defaults: 32 tries, 50 to 250 ms apart.
type locker struct {
	rs    *redsync.Redsync
	clock clockwork.Clock
	name  string
	ttl   time.Duration
}

func (l locker) Acquire(ctx context.Context) (Lease, error) {
	return l.lock(ctx, (*redsync.Mutex).LockContext)
}

// lock makes a Mutex for each acquisition: a Mutex keeps the value that identifies the
// acquisition.
func (l locker) lock(ctx context.Context, how func(*redsync.Mutex, context.Context) error) (Lease, error) {
	m := l.rs.NewMutex(l.name, redsync.WithExpiry(TTL(ctx, l.ttl)))
	err := how(m, ctx)
	if taken := new(redsync.ErrTaken); errors.Is(err, redsync.ErrFailed) || errors.As(err, &taken) {
		return nil, fmt.Errorf("%w: %w", ErrNotAcquired, err)
	}
	if err != nil {
		return nil, err
	}
	return lease{m, l.clock}, nil
}

type lease struct {
	m     *redsync.Mutex
	clock clockwork.Clock
}

func (l lease) Release(ctx context.Context) error { return held(l.m.UnlockContext(ctx)) }

// held translates the answers of Unlock and Extend into errors of package lock. A false
// is certain, unless the request failed or its answer came too late.
func held(ok bool, err error) error {
	if failed := new(redsync.RedisError); ok || errors.As(err, &failed) || errors.Is(err, redsync.ErrExtendFailed) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotHeld, err)
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

// TTL is the length given to [WithTTL], or the given default.
func TTL(ctx context.Context, otherwise time.Duration) time.Duration {
	if ttl, ok := ctx.Value(ttlKey{}).(time.Duration); ok {
		return ttl
	}
	return otherwise
}

type ttlKey struct{}

// ErrNotAcquired is returned by Acquire, wrapped or not, when it gave up and
// certainly holds nothing. Any other error leaves open whether the lock was
// taken.
var ErrNotAcquired = errors.New("lock: not acquired")

// ErrNotHeld is returned by Release and Extend, wrapped or not, when the caller
// is known not to have the lease any more.
var ErrNotHeld = errors.New("lock: not held")

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

// redisAllOptions are those of clients of all servers.
func redisAllOptions(c *client) (list []*redis.Options) {
	for _, address := range c.Addresses() {
		list = append(list, &redis.Options{Addr: address})
	}
	return list
}

// lockName is the name of the lock.
const lockName = "lock"

// redisServer is the address of an empty Redis: $REDIS_ADDR, whose key it deletes, or a redis-server of its own.
func redisServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv("REDIS_ADDR")
	if address == "" {
		address = startRedis(t)
	}
	deleted := redis.NewClient(&redis.Options{Addr: address})
	defer deleted.Close()
	if err := deleted.Del(t.Context(), lockName).Err(); err != nil {
		t.Fatal(err)
	}
	return address
}

// startRedis starts a redis-server, with more arguments.
func startRedis(t testing.TB, more ...string) (address string) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		missing(t, "redis-server is not installed, and REDIS_ADDR names no Redis")
	}
	address = freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	server := exec.Command("redis-server", append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()}, more...)...)
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

// HoldAnswer holds the answer to the next request with the word.
func (n *network) HoldAnswer(word string) *rule { return n.rule(rule{word: word, answer: true}) }

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

// again puts a rule back, for the next request.
func (n *network) again(r *rule) {
	if r != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.rules = append([]*rule{r}, n.rules...)
	}
}

// rule is what becomes of the next request with a word, and of its answer.
type rule struct {
	word            string
	request, answer bool          // held
	came            chan struct{} // closed when it is there
	free            chan struct{} // closed when it may go on
	lost            bool
}

// Await waits until the message is there.
func (r *rule) Await(t testing.TB) {
	t.Helper()
	select {
	case <-r.came:
	case <-time.After(patience):
		t.Fatalf("no %s comes", r.word)
	}
}

// Release lets the message go on.
func (r *rule) Release() { close(r.free) }

// Lose loses the message, with its connection.
func (r *rule) Lose() {
	r.lost = true
	close(r.free)
}

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

// passRedis carries requests and answers, one after another.
func passRedis(n *network, client, server net.Conn) {
	defer cut(client, server)
	requests, answers := bufio.NewReader(client), bufio.NewReader(server)
	for {
		request, err := readRESP(requests)
		if err != nil {
			return
		}
		words := bytes.Split(request, []byte("\r\n")) // *3 $3 SET …
		command := ""
		if len(words) > 2 {
			command = strings.ToUpper(string(words[2]))
		}
		r := n.of(func(word string) bool { return strings.HasPrefix(command, word) })
		r.sent()
		if _, err := server.Write(request); err != nil {
			return
		}
		if strings.HasSuffix(command, "SUBSCRIBE") { // from now on messages come unasked
			go func() { _, _ = io.Copy(server, requests) }()
			_, _ = io.Copy(client, answers)
			return
		}
		answer, err := readRESP(answers)
		for err == nil && answer[0] == '>' {
			if _, err = client.Write(answer); err == nil {
				answer, err = readRESP(answers)
			}
		}
		if err != nil {
			return
		}
		if bytes.HasPrefix(answer, []byte("-NOSCRIPT")) { // the script is sent again, whole
			n.again(r)
		} else if r.answered() {
			return
		}
		if _, err := client.Write(answer); err != nil {
			return
		}
	}
}

// readRESP reads one request or answer.
func readRESP(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil || len(line) < 3 {
		return line, errors.Join(err, io.ErrUnexpectedEOF)
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(line[1:])))
	switch line[0] {
	case '$', '=', '!':
		if n >= 0 {
			text := make([]byte, n+2)
			_, err = io.ReadFull(r, text)
			line = append(line, text...)
		}
	case '%':
		n *= 2
		fallthrough
	case '*', '~', '>':
		for i := 0; i < n && err == nil; i++ {
			var part []byte
			part, err = readRESP(r)
			line = append(line, part...)
		}
	}
	return line, err
}

// newClient returns a client of servers.
func newClient(t testing.TB, name string, ttl time.Duration, addresses ...string) *client {
	return &client{t, name, addresses, ttl}
}

// begin begins a call, and does not wait for it.
func begin(f func() error) *call {
	c := &call{make(chan error, 1)}
	go func() { c.done <- f() }()
	return c
}

// call is one that is under way.
type call struct{ done chan error }

// Wait waits for its end.
func (c *call) Wait(t testing.TB) error {
	t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(patience):
		t.Fatal("the call does not return")
		return nil
	}
}

// redisRecord is what Redis has under the lock's name, empty if nothing.
func redisRecord(t testing.TB, address string) string {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: address})
	defer c.Close()
	text, err := c.Dump(context.Background(), lockName).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	return text
}
