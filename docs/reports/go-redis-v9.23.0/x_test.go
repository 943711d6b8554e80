//go:build unix

// The rule: Once all faults are over, whoever waits gets the lock before long.
// c1 waited for the lock for 1m16.515s after the world had healed.
//
// What happens:
//
//  1. 0.0000s c1 asks for the lock
//  2. 0.0016s sentinel1 crashes
//  3. 0.0016s sentinel1 is cut off from redis1, redis2, sentinel2, sentinel3, c1 and c2 for 1m17s
//  4. 5.0016s c1 stops waiting for sentinel1: time-out
//  5. 5.1033s c2 acquires the lock, writes 1 and releases it
//  6. 25.4012s c1 does not learn whether it has the lock: redislocks: acquire: context deadline
//     exceeded
//  7. 37.2016s c1 still waits for the lock, which it should have by now
//
// Found in a simulation (lockpick 0.2.0, go 1.26.8, go-redis v9.23.0); this test shows it on real
// servers. It fails as long as the library does so. Run it by: go test .
package reproduction

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	grand "math/rand"
	mrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"
)

func TestProgressInFailoverLoss(t *testing.T) {
	deployed := startSentinels(t, 3)
	const ttl, bound = 2 * time.Second, 30 * time.Second
	c1 := newLock(newClient(t, "c1", ttl, deployed.Addresses()...))
	if err := acquireWithin(t, c1, bound); err != nil {
		t.Fatal(err)
	}
	// The machine of the sentinel that the client listens to is gone: nobody answers there any more. The Redis and the
	// other sentinels go on. The client needs a new connection, as after each restart or failover.
	deployed.Chosen(t).Vanish(t)
	deployed.Disconnect(t)
	if err := acquireWithin(t, c1, bound); err != nil {
		t.Errorf("progress: nobody has the lock, and a client does not get it in %v: %v", bound, err)
	}
}

// newLock is a sound lock over a client with go-redis's own limits.
func newLock(c *client) Locker {
	rdb := redisFailover(c, nil)
	return NewSetPX(rdb, c.LockName(), Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
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

// NewSetPX returns a locker for the lock of the given name, which is the key.
// It is safe for concurrent use if options.Rand is nil.
func NewSetPX(client SetPXClient, name string, options Options) *SetPX {
	return &SetPX{client: client, name: name, options: options.withDefaults()}
}

// SetPXClient is for locks that are released by a script.
type SetPXClient interface {
	redis.Scripter
	SetNXer
}

// SetNXer sends SET NX, or SETNX without an expiration.
type SetNXer interface {
	SetNX(ctx context.Context, key string, value any, expiration time.Duration) *redis.BoolCmd
}

// Options are the common options of the locks of this package and of package flawed.
type Options struct {
	// TTL is how long the record lives in the store (default 30 s). Redis
	// counts in milliseconds; less than one is rounded up.
	TTL time.Duration
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 100 ms and 100 ms.
	MinSleep, RandomSleep time.Duration
	// Clock measures the pauses; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global
	// source. The Locker does not synchronize its use.
	Rand *mrand.Rand
}

func (o Options) withDefaults() Options { return Options(pollingOptions(o).WithDefaults()) }

func (o Options) random() *Random { return pollingOptions(o).Random() }

func (o Options) spin(ctx context.Context, attempt Try) (Lease, error) {
	return pollingOptions(o).Spin(ctx, attempt)
}

// SetPX is the baseline of Redis locks: SET name value NX PX ttl, with a value
// that is unique to the acquisition, and a release that deletes the key only
// if it still has that value, in one script.
//
// It is the single-server lock of Redis's own documentation ("Distributed Locks
// with Redis"), and the final version of most articles on Redis locks.
//
// It claims no validity of its own: the holder learns that the lease has run out
// only when it releases. It guarantees mutual exclusion while holds are shorter
// than the TTL and the primary keeps acknowledged writes.
//
// What breaks it: whatever outlives the lease, or forgets it, gives it two holders
// (property mutual-exclusion, and no-lost-update as its harm): a pause (scenario
// gc-pause), an answer that is late (late-reply), a failover before replication
// (failover-loss), an old primary that goes on (partition), a restart without the
// data (node-restart), a clock of the server's that jumps ahead
// (server-clock-jump). It does not clean up after an Acquire that failed: a request
// that is late leaves the lock taken until its TTL (late-request and hung-node,
// late-orphan), and the client's own retry after a lost answer finds the lock
// taken, and waits for itself (lost-reply).
//
// Commands: acquire 1 a try, release 1. Defaults: a TTL of 30 s, pauses of 100 to
// 200 ms.
type SetPX struct {
	client  SetPXClient
	name    string
	options Options
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPX) Acquire(ctx context.Context) (Lease, error) {
	return l.options.spin(ctx, SetNX(l.client, l.name, func(value string) Lease {
		return &scriptsLease{Client: l.client, Name: l.name, Value: value}
	}))
}

// pollingOptions are those of package redislocks, which explains them.
type pollingOptions struct {
	TTL                   time.Duration
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// WithDefaults fills in what is not set.
func (o pollingOptions) WithDefaults() pollingOptions {
	if o.TTL == 0 {
		o.TTL = 30 * time.Second
	}
	o.TTL = max(o.TTL, time.Millisecond)
	if o.MinSleep == 0 {
		o.MinSleep = 100 * time.Millisecond
	}
	if o.RandomSleep == 0 {
		o.RandomSleep = 100 * time.Millisecond
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return o
}

// Spin tries until the lock is held, ctx is done or a try fails. Every
// acquisition has a value of its own, by which the store distinguishes it from all
// others.
func (o pollingOptions) Spin(ctx context.Context, attempt Try) (Lease, error) {
	value := rand.Text()
	for {
		lease, err := attempt(ctx, value, max(TTL(ctx, o.TTL), time.Millisecond))
		if err != nil {
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		}
		if lease != nil {
			return lease, nil
		}
		if err := o.Rest(ctx); err != nil {
			// Not ErrNotAcquired: go-redis tries a request again whose answer
			// was lost, and is told that the lock is taken, by ourselves.
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		}
	}
}

// Rest is the pause between two tries. It returns early, with the context's error, if ctx is
// done.
func (o pollingOptions) Rest(ctx context.Context) error {
	pause := o.Clock.NewTimer(o.sleep())
	select {
	case <-pause.Chan():
		return nil
	case <-ctx.Done():
		pause.Stop()
		return ctx.Err()
	}
}

func (o pollingOptions) sleep() time.Duration {
	draw := grand.Int63n // the global source that a simulation can seed
	if o.Rand != nil {
		draw = o.Rand.Int64N
	}
	return o.MinSleep + time.Duration(draw(int64(max(o.RandomSleep, 1))))
}

// Random returns the random source of a locker with these options.
func (o pollingOptions) Random() *Random { return &Random{options: o} }

// Random is a locker's random source, safe for concurrent use: the generator of
// [Options] is for one at a time.
type Random struct {
	mu      sync.Mutex // never held while anything is waited for
	options pollingOptions
}

// Pause draws a pause between two tries.
func (r *Random) Pause() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.options.sleep()
}

// Draw draws a number from 0 to n-1.
func (r *Random) Draw(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options.Rand == nil {
		return grand.Intn(n) // the global source that a simulation can seed
	}
	return r.options.Rand.IntN(n)
}

// Try is one attempt to take the lock. It returns a lease, or nil if somebody
// else has it.
type Try func(ctx context.Context, value string, ttl time.Duration) (Lease, error)

// SetNX tries SET NX PX; held makes the lease of a success.
func SetNX(client SetNXer, name string, held func(value string) Lease) Try {
	return func(ctx context.Context, value string, ttl time.Duration) (Lease, error) {
		ok, err := client.SetNX(ctx, name, value, ttl).Result()
		if err != nil || !ok {
			return nil, err
		}
		return held(value), nil
	}
}

// scriptsLease is one value under one key, which belongs to one acquisition.
type scriptsLease struct {
	Client      redis.Scripter
	Name, Value string
}

// Release deletes the key if it is still this acquisition's.
func (l *scriptsLease) Release(ctx context.Context) error {
	return Delete(ctx, l.Client, l.Name, l.Value)
}

// TTL is the length given to [WithTTL], or the given default.
func TTL(ctx context.Context, otherwise time.Duration) time.Duration {
	if ttl, ok := ctx.Value(ttlKey{}).(time.Duration); ok {
		return ttl
	}
	return otherwise
}

type ttlKey struct{}

// Delete deletes the key if it has the value. It returns [lock.ErrNotHeld] if it has not. The script
// is one step: nothing can come between the comparison and the deletion.
func Delete(ctx context.Context, client redis.Scripter, name, value string) error {
	n, err := CompareAndDelete.Run(ctx, client, []string{name}, value).Int()
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case n == 0:
		return ErrNotHeld
	}
	return nil
}

var CompareAndDelete = script("compare_and_delete")

// script joins the named files, in this order, into one script.
func script(names ...string) *redis.Script {
	var whole []byte
	for _, name := range names {
		source, err := sources.ReadFile(name + ".lua")
		if err != nil {
			panic(err) // it is part of the program
		}
		whole = append(whole, source...)
	}
	return redis.NewScript(string(whole))
}

var sources = fstest.MapFS{
	"compare_and_delete.lua": {Data: []byte(`-- Deletes KEYS[1] if its value is ARGV[1]. Answers how many keys it deleted.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
return 0
`)},
}

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

// Name is its name.
func (c *client) Name() string { return c.name }

// LockName is the name of the lock.
func (c *client) LockName() string { return lockName }

// TTL is how long a lease lasts.
func (c *client) TTL() time.Duration { return c.ttl }

// Clock is the machine's.
func (c *client) Clock() clockwork.Clock { return clockwork.NewRealClock() }

// Rand is a source of random numbers.
func (c *client) Rand() *mrand.Rand { return mrand.New(mrand.NewPCG(mrand.Uint64(), 0)) }

// Addresses are those of its servers.
func (c *client) Addresses() []string { return c.addresses }

// Cleanup registers what ends the client's connections.
func (c *client) Cleanup(f func()) {
	if c.t != nil { // else it ends with its process
		c.t.Cleanup(f)
	}
}

// redisFailover is a client of the Redis that the sentinels name.
func redisFailover(c *client, edit func(*redis.FailoverOptions)) *redis.Client {
	o := &redis.FailoverOptions{MasterName: masterName, SentinelAddrs: c.Addresses()}
	o.Dialer = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 5 * time.Minute}).DialContext // go-redis's default
	if edit != nil {
		edit(o)
	}
	rdb := redis.NewFailoverClient(o)
	c.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// masterName is the name by which sentinels know the Redis.
const masterName = "mymaster"

// lockName is the name of the lock.
const lockName = "lock"

// startSentinels starts a redis-server and sentinels, and waits until they know each other.
func startSentinels(t testing.TB, count int) *sentinels {
	t.Helper()
	s := &sentinels{Redis: startRedis(t)}
	_, port, _ := net.SplitHostPort(s.Redis)
	var own []string
	for range count {
		address := freeAddress(t)
		machine := newMachine(t, address)
		_, at, _ := net.SplitHostPort(address)
		_, announced, _ := net.SplitHostPort(machine.Address)
		file := filepath.Join(t.TempDir(), "sentinel.conf")
		text := fmt.Sprintf("port %s\nbind 127.0.0.1\nsentinel announce-ip 127.0.0.1\nsentinel announce-port %s\nsentinel monitor %s 127.0.0.1 %s %d\n",
			at, announced, masterName, port, count/2+1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		process := exec.Command("redis-server", file, "--sentinel")
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
		awaitListener(t, address)
		s.Machines, own = append(s.Machines, machine), append(own, address)
	}
	for _, address := range own {
		awaitSentinels(t, address, count-1)
	}
	return s
}

// sentinels are a Redis and the sentinels that know it, each on a machine of its own.
type sentinels struct {
	Redis    string // its address
	Machines []*machine
}

// Addresses are those of the sentinels.
func (s *sentinels) Addresses() (list []string) {
	for _, m := range s.Machines {
		list = append(list, m.Address)
	}
	return list
}

// Chosen is the machine of the sentinel that clients listen to.
func (s *sentinels) Chosen(t testing.TB) *machine {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if i := slices.IndexFunc(s.Machines, (*machine).followed); i >= 0 {
			return s.Machines[i]
		}
		if time.Now().After(end) {
			t.Fatal("no client listens to a sentinel")
		}
	}
}

// Disconnect ends the connections of the Redis to its clients, as a restart does.
func (s *sentinels) Disconnect(t testing.TB) {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.Redis})
	defer c.Close()
	if err := c.ClientKillByFilter(context.Background(), "TYPE", "normal").Err(); err != nil {
		t.Fatal(err)
	}
}

// machine is the network before a server that can vanish, with all that is on its way.
type machine struct {
	Address string

	listener *net.TCPListener
	gone     chan struct{} // closed when it has vanished
	mu       sync.Mutex
	listens  bool // a client has subscribed
}

// carry carries what is sent, until the machine has vanished: then nobody hears of anything.
func (m *machine) carry(to, from net.Conn, requests bool) {
	for buffer := make([]byte, 4096); ; {
		n, err := from.Read(buffer)
		select {
		case <-m.gone:
			return
		default:
		}
		if requests && bytes.Contains(bytes.ToUpper(buffer[:n]), []byte("\r\nSUBSCRIBE\r\n")) {
			m.mu.Lock()
			m.listens = true
			m.mu.Unlock()
		}
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			cut(to, from)
			return
		}
	}
}

func (m *machine) followed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listens
}

// Vanish takes the machine away: connections to it hang, and attempts to open a new one get no answer. For that it fills
// the queue of the listener: the system then drops SYNs.
func (m *machine) Vanish(t testing.TB) {
	t.Helper()
	close(m.gone)
	raw, err := m.listener.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { _ = syscall.Listen(int(fd), 0) })
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = m.listener.SetDeadline(time.Now()) // Accept ends
	for range 1000 {
		c, err := net.DialTimeout("tcp", m.Address, 200*time.Millisecond)
		if err != nil {
			return
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Fatal("this system takes as many connections as one asks for")
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

// newMachine returns the machine of a server.
func newMachine(t testing.TB, server string) *machine {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	m := &machine{Address: l.Addr().String(), listener: l, gone: make(chan struct{})}
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
			go m.carry(server, client, true)
			go m.carry(client, server, false)
		}
	}()
	return m
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

// awaitSentinels waits until a sentinel knows so many others.
func awaitSentinels(t testing.TB, address string, others int) {
	t.Helper()
	c := redis.NewSentinelClient(&redis.Options{Addr: address})
	defer c.Close()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		list, err := c.Sentinels(context.Background(), masterName).Result()
		if err == nil && len(list) == others {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the sentinel at %s knows %d others, want %d: %v", address, len(list), others, err)
		}
	}
}

// newClient returns a client of servers.
func newClient(t testing.TB, name string, ttl time.Duration, addresses ...string) *client {
	return &client{t, name, addresses, ttl}
}

// acquireWithin acquires the lock and releases it. After an error it tries again, until the bound has passed.
func acquireWithin(t testing.TB, l Locker, bound time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	for {
		lease, err := l.Acquire(ctx)
		if err == nil {
			return lease.Release(ctx)
		}
		if ctx.Err() != nil {
			return err
		}
		t.Logf("Acquire: %v", err)
	}
}
