package flawed

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// leases is the part of a client that sessions need. A lease is granted to who answers.
type leases struct {
	clientv3.Lease
	asked  []int         // who has asked, by the number in its context
	answer chan struct{} // lets a grant succeed
	alive  chan *clientv3.LeaseKeepAliveResponse
}

// caller is the key of the number in a context.
type caller struct{}

func (l *leases) Grant(ctx context.Context, _ int64) (*clientv3.LeaseGrantResponse, error) {
	n, _ := ctx.Value(caller{}).(int)
	l.asked = append(l.asked, n)
	select {
	case <-l.answer:
		return &clientv3.LeaseGrantResponse{ID: 1}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *leases) KeepAlive(context.Context, clientv3.LeaseID) (<-chan *clientv3.LeaseKeepAliveResponse, error) {
	return l.alive, nil
}

// callers ask for a session, one after another. Got is what became of them.
func callers(t *testing.T, n int) (l *leases, got []error, cancel []context.CancelFunc) {
	l = &leases{answer: make(chan struct{}), alive: make(chan *clientv3.LeaseKeepAliveResponse)}
	client := clientv3.NewCtxClient(t.Context())
	client.Lease = l
	sessions := NewSessions(client, time.Second)
	got = make([]error, n)
	for i := range n {
		ctx, stop := context.WithCancel(context.WithValue(t.Context(), caller{}, i))
		cancel = append(cancel, stop)
		go func() { _, got[i] = sessions.get(ctx) }()
		synctest.Wait()
	}
	return l, got, cancel
}

// TestSessionsInTurn: who waits for a session opens one in its turn, when who came before has
// failed. One that has given up meanwhile is left out.
func TestSessionsInTurn(t *testing.T) {
	for range 20 { // any order is theirs by chance
		synctest.Test(t, func(t *testing.T) {
			l, got, cancel := callers(t, 6)
			defer close(l.alive)
			cancel[2]() // while it waits
			for _, n := range []int{0, 1, 3} {
				cancel[n]()
				synctest.Wait()
			}
			close(l.answer)
			synctest.Wait()
			if want := []int{0, 1, 3, 4}; !slices.Equal(l.asked, want) {
				t.Fatalf("asked by %v, want %v", l.asked, want)
			}
			for n, err := range got {
				if failed := errors.Is(err, context.Canceled); failed != (n < 4) {
					t.Errorf("caller %d: %v", n, err)
				}
				cancel[n]()
			}
		})
	}
}

// TestTurnsAreNotLost: a caller whose context ends just when it is its turn passes the turn on.
func TestTurnsAreNotLost(t *testing.T) {
	for range 20 { // the caller sees its turn first, or its end
		synctest.Test(t, func(t *testing.T) {
			l, got, cancel := callers(t, 3)
			defer close(l.alive)
			cancel[0]()
			cancel[1]()
			synctest.Wait()
			close(l.answer)
			synctest.Wait()
			if l.asked[len(l.asked)-1] != 2 || got[2] != nil {
				t.Errorf("asked by %v, the last: %v", l.asked, got[2])
			}
			cancel[2]()
		})
	}
}
