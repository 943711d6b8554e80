package zklocks_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/zklocks"
)

// stand is where a lock stands its test, in a directory of its own.
type stand struct {
	*testing.T
	addr string
	dir  string
}

var stands atomic.Int32

func newStand(t *testing.T, addr string) *stand {
	return &stand{t, addr, fmt.Sprintf("/locks/%d", stands.Add(1))}
}

// client is another client process.
type client struct {
	*zklocks.Session
	link *link
}

// client connects with a session of the given time-out.
func (s *stand) client(timeout time.Duration) *client {
	s.Helper()
	l := newLink()
	conn, events, err := zk.Connect([]string{s.addr}, timeout, zk.WithDialer(l.dial), zk.WithLogger(quiet{}))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(conn.Close)
	return &client{zklocks.Open(conn, events, timeout, zklocks.SessionOptions{}), l}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// acquire waits no longer than soon.
func (s *stand) acquire(l lock.Locker) lock.Lease {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), soon)
	defer cancel()
	lease, err := l.Acquire(ctx)
	if err != nil {
		s.Fatalf("Acquire says %v", err)
	}
	return lease
}

func (s *stand) release(l lock.Lease) {
	s.Helper()
	if err := s.released(l); err != nil {
		s.Errorf("Release says %v", err)
	}
}

func (s *stand) released(l lock.Lease) error {
	ctx, cancel := context.WithTimeout(s.Context(), soon)
	defer cancel()
	return l.Release(ctx)
}

// attempt is an Acquire under way.
type attempt struct {
	s      *stand
	cancel context.CancelFunc
	result chan result
}

type result struct {
	lease lock.Lease
	err   error
}

// begin acquires in the background, and returns when there are so many nodes.
func (s *stand) begin(l lock.Locker, nodes int) *attempt {
	s.Helper()
	a := s.start(l)
	s.nodes(nodes)
	return a
}

func (s *stand) start(l lock.Locker) *attempt {
	ctx, cancel := context.WithTimeout(s.Context(), 2*soon)
	a := &attempt{s, cancel, make(chan result, 1)}
	go func() {
		lease, err := l.Acquire(ctx)
		a.result <- result{lease, err}
	}()
	return a
}

// held is the attempt's lease.
func (a *attempt) held() lock.Lease {
	a.s.Helper()
	select {
	case r := <-a.result:
		if r.err != nil {
			a.s.Fatalf("Acquire says %v", r.err)
		}
		return r.lease
	case <-time.After(soon):
		a.s.Fatal("Acquire does not return")
	}
	return nil
}

// waits says that the attempt has not come to an end.
func (a *attempt) waits() {
	a.s.Helper()
	select {
	case r := <-a.result:
		a.s.Fatalf("Acquire did not wait, and says %v", r.err)
	case <-time.After(busy):
	}
}

// nodes waits until there are so many nodes in the queue.
func (s *stand) nodes(want int) {
	s.Helper()
	conn := s.client(lasting).Conn()
	defer conn.Close()
	var names []string
	var err error
	for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		names, _, err = conn.Children(s.dir)
		if (err == nil || errors.Is(err, zk.ErrNoNode)) && len(names) == want {
			return
		}
	}
	s.Fatalf("there are the nodes %q (%v), want %d", names, err, want)
}
