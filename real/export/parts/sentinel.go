package parts

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

// MasterName is the name by which sentinels know the Redis.
const MasterName = "mymaster"

// Sentinels are a Redis and the sentinels that know it, each on a machine of its own.
type Sentinels struct {
	Redis    string // its address
	Machines []*Machine
}

// StartSentinels starts a redis-server and sentinels, and waits until they know each other.
func StartSentinels(t testing.TB, count int) *Sentinels {
	t.Helper()
	s := &Sentinels{Redis: StartRedis(t)}
	_, port, _ := net.SplitHostPort(s.Redis)
	var own []string
	for range count {
		address := FreeAddress(t)
		machine := NewMachine(t, address)
		_, at, _ := net.SplitHostPort(address)
		_, announced, _ := net.SplitHostPort(machine.Address)
		file := filepath.Join(t.TempDir(), "sentinel.conf")
		text := fmt.Sprintf("port %s\nbind 127.0.0.1\nsentinel announce-ip 127.0.0.1\nsentinel announce-port %s\nsentinel monitor %s 127.0.0.1 %s %d\n",
			at, announced, MasterName, port, count/2+1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		process := exec.Command("redis-server", file, "--sentinel")
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
		AwaitListener(t, address)
		s.Machines, own = append(s.Machines, machine), append(own, address)
	}
	for _, address := range own {
		awaitSentinels(t, address, count-1)
	}
	return s
}

// awaitSentinels waits until a sentinel knows so many others.
func awaitSentinels(t testing.TB, address string, others int) {
	t.Helper()
	c := redis.NewSentinelClient(&redis.Options{Addr: address})
	defer c.Close()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		list, err := c.Sentinels(context.Background(), MasterName).Result()
		if err == nil && len(list) == others {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the sentinel at %s knows %d others, want %d: %v", address, len(list), others, err)
		}
	}
}

// Addresses are those of the sentinels.
func (s *Sentinels) Addresses() (list []string) {
	for _, m := range s.Machines {
		list = append(list, m.Address)
	}
	return list
}

// Chosen is the machine of the sentinel that clients listen to.
func (s *Sentinels) Chosen(t testing.TB) *Machine {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if i := slices.IndexFunc(s.Machines, (*Machine).followed); i >= 0 {
			return s.Machines[i]
		}
		if time.Now().After(end) {
			t.Fatal("no client listens to a sentinel")
		}
	}
}

// Disconnect ends the connections of the Redis to its clients, as a restart does.
func (s *Sentinels) Disconnect(t testing.TB) {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.Redis})
	defer c.Close()
	if err := c.ClientKillByFilter(context.Background(), "TYPE", "normal").Err(); err != nil {
		t.Fatal(err)
	}
}

// AcquireWithin acquires the lock and releases it. After an error it tries again, until the bound has passed.
func AcquireWithin(t testing.TB, l lock.Locker, bound time.Duration) error {
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

// Machine is the network before a server that can vanish, with all that is on its way.
type Machine struct {
	Address string

	listener *net.TCPListener
	gone     chan struct{} // closed when it has vanished
	mu       sync.Mutex
	listens  bool // a client has subscribed
}

// NewMachine returns the machine of a server.
func NewMachine(t testing.TB, server string) *Machine {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	m := &Machine{Address: l.Addr().String(), listener: l, gone: make(chan struct{})}
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
			go m.carry(server, client, true)
			go m.carry(client, server, false)
		}
	}()
	return m
}

// carry carries what is sent, until the machine has vanished: then nobody hears of anything.
func (m *Machine) carry(to, from net.Conn, requests bool) {
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
			Cut(to, from)
			return
		}
	}
}

func (m *Machine) followed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listens
}

// Vanish takes the machine away: connections to it hang, and attempts to open a new one get no answer. For that it fills
// the queue of the listener: the system then drops SYNs.
func (m *Machine) Vanish(t testing.TB) {
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

// RedisFailover is a client of the Redis that the sentinels name.
func RedisFailover(c *Client, edit func(*redis.FailoverOptions)) *redis.Client {
	o := &redis.FailoverOptions{MasterName: MasterName, SentinelAddrs: c.Addresses()}
	o.Dialer = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 5 * time.Minute}).DialContext // go-redis's default
	if edit != nil {
		edit(o)
	}
	rdb := redis.NewFailoverClient(o)
	c.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// SentinelUniversal is a client of the Redis that the sentinels name.
func SentinelUniversal(c *Client, edit func(*redis.UniversalOptions)) redis.UniversalClient {
	o := &redis.UniversalOptions{Addrs: c.Addresses(), MasterName: MasterName}
	if edit != nil {
		edit(o)
	}
	rdb := redis.NewUniversalClient(o)
	c.Cleanup(func() { _ = rdb.Close() })
	return rdb
}
