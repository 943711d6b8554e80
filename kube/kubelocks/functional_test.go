package kubelocks_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/kube/kubelocks"
	"github.com/lockpick-dev/lockpick/kube/simkube"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// make makes a lock.
type newLock func(*http.Client, kubelocks.Options) lock.Locker

const url, namespace, name = "http://kubernetes", "default", "lock"

var locks = map[string]newLock{
	"lease": func(c *http.Client, o kubelocks.Options) lock.Locker {
		return kubelocks.NewLease(c, url, namespace, name, o)
	},
	"cancelled": func(c *http.Client, o kubelocks.Options) lock.Locker {
		return kubelocks.NewCancelledLease(c, url, namespace, name, o)
	},
	"fenced": func(c *http.Client, o kubelocks.Options) lock.Locker {
		return kubelocks.NewFencedLease(c, url, namespace, name, o)
	},
}

// client is what a client process has.
type client struct {
	*sim.Process
	locker lock.Locker
	fail   func(format string, args ...any)
}

// must returns a lease.
func (c *client) must(ctx context.Context) lock.Lease {
	l, err := c.locker.Acquire(ctx)
	if err != nil {
		c.fail("%s: %v", c.Name(), err)
	}
	return l
}

// play makes a run of clients with each lock, without faults.
func play(t *testing.T, clients ...func(*client)) {
	for id, make := range locks { // unordered: each by itself
		t.Run(id, func(t *testing.T) {
			r := sim.Run(sim.Config{Horizon: time.Hour}, func(w *sim.World) {
				cluster := simkube.New(w, simkube.Options{}, func(model.Observation) {})
				for i, act := range clients {
					p := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", i+1)})
					transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
						return p.DialContext(ctx, network, cluster.Addresses()[0], 0)
					}}
					w.OnEnd(transport.CloseIdleConnections)
					p.Go(func() {
						var clock clockwork.Clock = p.Clock()
						act(&client{p, make(&http.Client{Transport: transport}, kubelocks.Options{Identity: p.Name(), Clock: clock}), t.Errorf})
					})
				}
			})
			if r.Failure != nil || r.Cut != "" {
				t.Errorf("%+v %s", r.Failure, r.Cut)
			}
		})
	}
}

// TestExclusion: holders are alone, and tokens grow.
func TestExclusion(t *testing.T) {
	holders, token := 0, int64(0)
	work := func(c *client) {
		for range 5 {
			l := c.must(context.Background())
			if holders++; holders > 1 {
				c.fail("%s is not alone", c.Name())
			}
			if f, is := l.(lock.Fenced); is {
				if f.Token() <= token {
					c.fail("token %d after %d", f.Token(), token)
				}
				token = f.Token()
			}
			c.Clock().Sleep(time.Second)
			holders--
			if err := l.Release(context.Background()); err != nil {
				c.fail("release: %v", err)
			}
			if err := l.Release(context.Background()); !errors.Is(err, lock.ErrNotHeld) {
				c.fail("the second release: %v", err)
			}
		}
		token = 0
	}
	play(t, work)
	play(t, work, func(c *client) {
		for range 5 {
			l := c.must(context.Background())
			if holders++; holders > 1 {
				c.fail("%s is not alone", c.Name())
			}
			c.Clock().Sleep(time.Second)
			holders--
			if err := l.Release(context.Background()); err != nil {
				c.fail("release: %v", err)
			}
		}
	})
}

// TestKept: a lease is renewed for as long as it is held, and then taken by a waiter within a pause.
func TestKept(t *testing.T) {
	var released time.Time
	play(t, func(c *client) {
		l := c.must(context.Background())
		for range 20 {
			c.Clock().Sleep(5 * time.Second)
			select {
			case <-l.(lock.Notifier).Lost():
				c.fail("it is lost")
			default:
			}
			if left := l.(lock.Expirer).Until().Sub(c.Clock().Now()); left < 5*time.Second {
				c.fail("it lasts for %v", left)
			}
		}
		if err := l.Release(context.Background()); err != nil {
			c.fail("release: %v", err)
		}
		released = c.Clock().Now()
	}, func(c *client) {
		c.Clock().Sleep(time.Second)
		l := c.must(context.Background())
		if took := c.Clock().Now().Sub(released); took < 0 || took > 2500*time.Millisecond {
			c.fail("it is acquired %v after its release", took)
		}
		_ = l.Release(context.Background())
	})
}

// TestTakenOver: the lease of a client that has ended is taken when it has not changed for as long as it lasts.
func TestTakenOver(t *testing.T) {
	play(t, func(c *client) {
		c.must(context.Background())
		c.World() // and ends without a release: its process is over
		c.Mark(0, "ends", func(sim.Event) { c.Crash() })
		c.Clock().Sleep(time.Minute)
	}, func(c *client) {
		c.Clock().Sleep(time.Second)
		begin := c.Clock().Now()
		l := c.must(context.Background())
		if took := c.Clock().Now().Sub(begin); took < 15*time.Second || took > 18*time.Second {
			c.fail("it is acquired after %v", took)
		}
		_ = l.Release(context.Background())
	})
}

// TestGivenUp: a waiter gives up with its context.
func TestGivenUp(t *testing.T) {
	play(t, func(c *client) {
		l := c.must(context.Background())
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if _, err := c.locker.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			c.fail("a waiter whose context ends: %v", err)
		}
		if err := l.Release(context.Background()); err != nil {
			c.fail("release: %v", err)
		}
		l = c.must(context.Background())
		_ = l.Release(context.Background())
	})
}
