package flawed_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/lockpick-dev/lockpick/etcd/internal/test/etcdlocktest"
	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
)

// TestLibrary: what the scenarios show of the client library's locks happens on a real server.
func TestLibrary(t *testing.T) {
	realetcd.Need(t)
	server := realetcd.Start(t, 100*time.Millisecond)
	t.Run("Campaign leaves its key", func(t *testing.T) { // alone: it compacts the history for all
		campaignLeavesKey(stand{etcdlocktest.Stand{T: t, Addr: server.Addr, Prefix: "/library/compacted"}})
	})
	for name, test := range map[string]func(stand){
		"lost answer of Lock": lostAnswerOfLock, "stale Unlock": staleUnlock, "waiter not woken": waiterNotWoken,
		"TryLock removes a waiter": tryLockRemovesWaiter, "Campaign without a key": campaignWithoutKey,
		"Resign forgets": resignForgets, "RWMutex without a key": rwMutexWithoutKey, "Done is late": doneIsLate,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(stand{etcdlocktest.Stand{T: t, Addr: server.Addr, Prefix: "/library/" + name}})
		})
	}
}

// stand is a real server, with sessions of the library's.
type stand struct{ etcdlocktest.Stand }

// session opens a session over a client.
func (s stand) session(c *clientv3.Client) *concurrency.Session {
	s.Helper()
	session, err := concurrency.NewSession(c, concurrency.WithTTL(60))
	if err != nil {
		s.Fatal(err)
	}
	return session
}

// end ends a session as if its time to live were over.
func (s stand) end(session *concurrency.Session) {
	s.Helper()
	if _, err := s.Client().Revoke(s.Context(), session.Lease()); err != nil {
		s.Fatal(err)
	}
}

// must fails the test if there is an error.
func (s stand) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// async calls a function that may wait.
func async(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

// waits checks that a call goes on waiting.
func (s stand) waits(call <-chan error) {
	s.Helper()
	select {
	case err := <-call:
		s.Fatalf("it does not wait: %v", err)
	case <-time.After(etcdlocktest.Busy):
	}
}

// losing is a client that loses the answer to the next call of a method when that is set.
func (s stand) losing(method string) (c *clientv3.Client, next *atomic.Bool) {
	next = new(atomic.Bool)
	return s.Client(grpc.WithChainUnaryInterceptor(func(ctx context.Context, called string, request, answer any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, called, request, answer, cc, opts...)
		if err == nil && called == method && next.CompareAndSwap(true, false) {
			return status.Error(codes.Unavailable, "the answer is lost")
		}
		return err
	})), next
}

// lostAnswerOfLock: since v3.6 Unlock takes the lock for released, and the key stays.
func lostAnswerOfLock(s stand) {
	c, next := s.losing("/etcdserverpb.KV/Txn")
	m := concurrency.NewMutex(s.session(c), s.Prefix)
	next.Store(true)
	if err := m.Lock(s.Context()); status.Code(err) != codes.Unavailable {
		s.Fatalf("Lock says %v", err)
	}
	switch err := m.Unlock(s.Context()); {
	case err == nil: // until v3.5
		s.Keys(0)
	case err.Error() == "mutex: lock has already been released":
		s.Keys(1)
	default:
		s.Errorf("Unlock says %v", err)
	}
}

// staleUnlock: an Unlock that is called again deletes the key that its session has anew
// (etcd-io/etcd#22082).
func staleUnlock(s stand) {
	c, next := s.losing("/etcdserverpb.KV/DeleteRange")
	session := s.session(c)
	old, current := concurrency.NewMutex(session, s.Prefix), concurrency.NewMutex(session, s.Prefix)
	s.must(old.Lock(s.Context()))
	next.Store(true)
	if err := old.Unlock(s.Context()); status.Code(err) != codes.Unavailable {
		s.Fatalf("Unlock says %v", err)
	}
	s.must(current.Lock(s.Context()))
	s.Keys(1)
	s.must(old.Unlock(s.Context()))
	s.Keys(0)
	s.must(concurrency.NewMutex(s.session(s.Client()), s.Prefix).TryLock(s.Context())) // beside current
}

// waiterNotWoken: a waiter whose session ends waits on (etcd-io/etcd#19597).
func waiterNotWoken(s stand) {
	holder := concurrency.NewMutex(s.session(s.Client()), s.Prefix)
	s.must(holder.Lock(s.Context()))
	session := s.session(s.Client())
	call := async(func() error { return concurrency.NewMutex(session, s.Prefix).Lock(s.Context()) })
	s.Keys(2)
	s.end(session)
	s.Keys(1)
	s.waits(call)
	s.must(holder.Unlock(s.Context()))
	if err := <-call; !errors.Is(err, concurrency.ErrSessionExpired) {
		s.Errorf("Lock says %v", err)
	}
}

// tryLockRemovesWaiter: a TryLock that finds the lock taken deletes its session's key, for
// which another Lock of the session waits.
func tryLockRemovesWaiter(s stand) {
	holder := concurrency.NewMutex(s.session(s.Client()), s.Prefix)
	s.must(holder.Lock(s.Context()))
	session := s.session(s.Client())
	call := async(func() error { return concurrency.NewMutex(session, s.Prefix).Lock(s.Context()) })
	s.Keys(2)
	if err := concurrency.NewMutex(session, s.Prefix).TryLock(s.Context()); !errors.Is(err, concurrency.ErrLocked) {
		s.Errorf("TryLock says %v", err)
	}
	s.Keys(1)
	s.must(holder.Unlock(s.Context()))
	if err := <-call; !errors.Is(err, concurrency.ErrSessionExpired) {
		s.Errorf("Lock says %v", err)
	}
	select {
	case <-session.Done():
		s.Error("the session has ended")
	default:
	}
}

// campaignWithoutKey: Campaign returns without an error when its lease has ended.
func campaignWithoutKey(s stand) {
	leader := concurrency.NewElection(s.session(s.Client()), s.Prefix)
	s.must(leader.Campaign(s.Context(), "one"))
	session := s.session(s.Client())
	call := async(func() error { return concurrency.NewElection(session, s.Prefix).Campaign(s.Context(), "two") })
	s.Keys(2)
	s.end(session)
	s.Keys(1)
	s.waits(call)
	s.must(leader.Resign(s.Context()))
	s.must(<-call)
	s.Keys(0)
}

// rwMutexWithoutKey: Lock returns without an error when its lease has ended
// (etcd-io/etcd#16221).
func rwMutexWithoutKey(s stand) {
	holder := recipe.NewRWMutex(s.session(s.Client()), s.Prefix)
	s.must(holder.Lock())
	session := s.session(s.Client())
	call := async(recipe.NewRWMutex(session, s.Prefix).Lock)
	s.Keys(2)
	s.end(session)
	s.Keys(1)
	s.waits(call)
	s.must(holder.Unlock())
	s.must(<-call)
	s.Keys(0)
}

// campaignLeavesKey: Campaign fails because what its watch begins with is compacted. Resign
// does nothing, and the key stays (etcd-io/etcd#21128).
func campaignLeavesKey(s stand) {
	other := s.Client()
	s.must(concurrency.NewElection(s.session(other), s.Prefix).Campaign(s.Context(), "one"))
	watches, compacted := make(chan struct{}), make(chan struct{})
	late := s.Client(grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if method == "/etcdserverpb.Watch/Watch" {
			close(watches)
			<-compacted
		}
		return open(ctx, desc, cc, method, opts...)
	}))
	e := concurrency.NewElection(s.session(late), s.Prefix)
	call := async(func() error { return e.Campaign(s.Context(), "two") })
	<-watches
	put, err := other.Put(s.Context(), s.Prefix, "")
	s.must(err)
	_, err = other.Compact(s.Context(), put.Header.Revision)
	if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		s.Fatal(err)
	}
	close(compacted)
	if err := <-call; !errors.Is(err, rpctypes.ErrCompacted) {
		s.Fatalf("Campaign says %v", err)
	}
	s.must(e.Resign(s.Context()))
	s.Keys(2)
}

// resignForgets: a Resign that is called again does nothing, and the key stays
// (etcd-io/etcd#22123).
func resignForgets(s stand) {
	e := concurrency.NewElection(s.session(s.Client()), s.Prefix)
	s.must(e.Campaign(s.Context(), "one"))
	cancelled, cancel := context.WithCancel(s.Context())
	cancel()
	if err := e.Resign(cancelled); !errors.Is(err, context.Canceled) {
		s.Fatalf("Resign says %v", err)
	}
	s.must(e.Resign(s.Context()))
	s.Keys(1)
}

// doneIsLate: a session counts the time to live from when an answer comes, not from when it
// asked. Here the answer comes when the lease has ended.
func doneIsLate(s stand) {
	const ttl, late = 1, 4 * time.Second
	c := s.Client(grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		stream, err := open(ctx, desc, cc, method, opts...)
		if method == "/etcdserverpb.Lease/LeaseKeepAlive" {
			stream = &lateAnswer{ClientStream: stream, late: late}
		}
		return stream, err
	}))
	session, err := concurrency.NewSession(c, concurrency.WithTTL(ttl))
	s.must(err)
	s.must(concurrency.NewMutex(session, s.Prefix).Lock(s.Context()))
	s.Keys(0)
	gone := time.Now()
	<-session.Done()
	if d := time.Since(gone); d < time.Second {
		s.Errorf("Done comes %v after the key has gone", d)
	}
}

// lateAnswer is a stream on which one message is sent, and its answer is late.
type lateAnswer struct {
	grpc.ClientStream
	late time.Duration
	sent bool
}

func (l *lateAnswer) SendMsg(m any) error {
	if l.sent {
		return nil // lost
	}
	l.sent = true
	return l.ClientStream.SendMsg(m)
}

func (l *lateAnswer) RecvMsg(m any) error {
	err := l.ClientStream.RecvMsg(m)
	time.Sleep(l.late)
	return err
}
