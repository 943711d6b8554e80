package zklocktest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/zookeeper/zklocks"
)

// Stand is the test bench of a lock, with a directory of its own.
type Stand struct {
	*testing.T
	Addr string
	Dir  string
}

var stands atomic.Int32

// NewStand is a directory of the server.
func NewStand(t *testing.T, addr string) *Stand {
	return &Stand{t, addr, fmt.Sprintf("/locks/%d", stands.Add(1))}
}

// Client is another client process.
type Client struct {
	*zklocks.Session
	Link *Link
}

// Client connects with a session of the given time-out.
func (s *Stand) Client(timeout time.Duration) *Client {
	s.Helper()
	l := newLink()
	// The address counts twice: with several, a request that waits for a connection does not fail when the session
	// has expired, and is sent in the next one.
	conn, events, err := zk.Connect([]string{s.Addr, s.Addr}, timeout, zk.WithDialer(l.dial), zk.WithLogger(quiet{}))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(conn.Close)
	return &Client{zklocks.Open(conn, events, timeout, zklocks.SessionOptions{}), l}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// Acquire waits no longer than soon.
func (s *Stand) Acquire(l lock.Locker) lock.Lease {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), Soon)
	defer cancel()
	lease, err := l.Acquire(ctx)
	if err != nil {
		s.Fatalf("Acquire says %v", err)
	}
	return lease
}

// Release fails the test if it does not succeed.
func (s *Stand) Release(l lock.Lease) {
	s.Helper()
	if err := s.Released(l); err != nil {
		s.Errorf("Release says %v", err)
	}
}

// Released is what Release returns.
func (s *Stand) Released(l lock.Lease) error {
	ctx, cancel := context.WithTimeout(s.Context(), Soon)
	defer cancel()
	return l.Release(ctx)
}

// Attempt is an Acquire under way.
type Attempt struct {
	s      *Stand
	Cancel context.CancelFunc
	Result chan Result
}

// Result is what Acquire has returned.
type Result struct {
	Lease lock.Lease
	Err   error
}

// Begin acquires in the background, and returns when there are so many nodes.
func (s *Stand) Begin(l lock.Locker, nodes int) *Attempt {
	s.Helper()
	a := s.Start(l)
	s.Nodes(nodes)
	return a
}

// Start acquires in the background.
func (s *Stand) Start(l lock.Locker) *Attempt {
	ctx, cancel := context.WithTimeout(s.Context(), 2*Soon)
	a := &Attempt{s, cancel, make(chan Result, 1)}
	go func() {
		lease, err := l.Acquire(ctx)
		a.Result <- Result{lease, err}
	}()
	return a
}

// Held is the attempt's lease.
func (a *Attempt) Held() lock.Lease {
	a.s.Helper()
	select {
	case r := <-a.Result:
		if r.Err != nil {
			a.s.Fatalf("Acquire says %v", r.Err)
		}
		return r.Lease
	case <-time.After(Soon):
		a.s.Fatal("Acquire does not return")
	}
	return nil
}

// Waits fails the test if the attempt has ended.
func (a *Attempt) Waits() {
	a.s.Helper()
	select {
	case r := <-a.Result:
		a.s.Fatalf("Acquire did not wait, and says %v", r.Err)
	case <-time.After(Busy):
	}
}

// Nodes waits until there are so many nodes in the queue.
func (s *Stand) Nodes(want int) {
	s.Helper()
	conn := s.Client(Lasting).Conn()
	defer conn.Close()
	var names []string
	var err error
	for end := time.Now().Add(Soon); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		names, _, err = conn.Children(s.Dir)
		if (err == nil || errors.Is(err, zk.ErrNoNode)) && len(names) == want {
			return
		}
	}
	s.Fatalf("there are the nodes %q (%v), want %d", names, err, want)
}
