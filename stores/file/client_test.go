package file

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simfile"
)

// simulated runs two clients against a server whose leases are two seconds. At is what happens to the server.
func simulated(t *testing.T, at map[time.Duration]func(*simfile.Server), one, two func(*sim.Process, *Client)) {
	t.Helper()
	report := sim.Run(sim.Config{MaxEvents: 1 << 20}, func(w *sim.World) {
		s := simfile.New(w, simfile.Options{Lease: 2 * time.Second}, func(model.Observation) {})
		for when, f := range at { // unordered: they are at different times
			w.At(s.Actor, when, sim.EventWork, sim.EventOptions{Vital: true}, func() { f(s) })
		}
		for i, work := range []func(*sim.Process, *Client){one, two} {
			p := w.NewProcess([]string{"c1", "c2"}[i], sim.ProcessOptions{Host: []string{"10.0.0.1", "10.0.0.2"}[i]})
			p.Go(func() {
				c := newClient(p.Name(), p.Clock(), func(ctx context.Context) (net.Conn, error) {
					return p.DialContext(ctx, "tcp", s.Address(), 0)
				})
				defer c.Close()
				work(p, c)
			})
		}
	})
	if report.Failure != nil {
		t.Fatal(report.Failure)
	}
}

// holds locks a file and reports whether the lock is lost within d.
func holds(t *testing.T, p *sim.Process, c *Client, d time.Duration) (lost bool, after time.Duration) {
	begin := p.Clock().Now()
	gone, err := c.Lock(context.Background(), "lock", "me")
	if err != nil {
		t.Error(err)
		return true, 0
	}
	select {
	case <-gone:
		return true, p.Clock().Now().Sub(begin)
	case <-p.Clock().After(d):
		return false, d
	}
}

// waits asks for the lock until it is granted, and returns when, or d.
func waits(t *testing.T, p *sim.Process, c *Client, d time.Duration) time.Duration {
	begin := p.Clock().Now()
	for p.Clock().Now().Sub(begin) < d {
		p.Clock().Sleep(100 * time.Millisecond)
		_, err := c.Lock(context.Background(), "lock", "you")
		if err == nil {
			return p.Clock().Now().Sub(begin)
		}
		if !errors.Is(err, lock.ErrNotAcquired) {
			t.Error(err)
		}
	}
	return d
}

// TestReclaim: a client keeps its lock over a restart of the server, and nobody else gets it.
func TestReclaim(t *testing.T) {
	restart := map[time.Duration]func(*simfile.Server){time.Second: (*simfile.Server).Crash, 1100 * time.Millisecond: (*simfile.Server).Restart}
	simulated(t, restart, func(p *sim.Process, c *Client) {
		if lost, after := holds(t, p, c, 8*time.Second); lost {
			t.Errorf("it was lost after %v", after)
		}
		if err := c.Unlock(context.Background(), "lock", "me"); err != nil {
			t.Error(err)
		}
	}, func(p *sim.Process, c *Client) {
		if got := waits(t, p, c, 7*time.Second); got < 7*time.Second {
			t.Errorf("another got it after %v", got)
		}
	})
}

// TestDownForLong: a lock whose client cannot renew its lease is lost to it before another gets it.
func TestDownForLong(t *testing.T) {
	down := map[time.Duration]func(*simfile.Server){time.Second: (*simfile.Server).Crash, 4 * time.Second: (*simfile.Server).Restart}
	simulated(t, down, func(p *sim.Process, c *Client) {
		if lost, after := holds(t, p, c, 8*time.Second); !lost || after > 3*time.Second {
			t.Errorf("lost is %v, after %v", lost, after)
		}
		if until := c.Until("lock", "me"); until.After(p.Clock().Now()) {
			t.Errorf("until %v", until)
		}
		if err := c.Unlock(context.Background(), "lock", "me"); err != nil && !errors.Is(err, lock.ErrNotHeld) {
			t.Error(err)
		}
	}, func(p *sim.Process, c *Client) {
		if got := waits(t, p, c, 10*time.Second); got < 4*time.Second || got > 7*time.Second {
			t.Errorf("another got it after %v", got)
		}
	})
}

// TestExpired: a client whose lease has expired is told so, opens another session and goes on.
func TestExpired(t *testing.T) {
	jump := map[time.Duration]func(*simfile.Server){time.Second: func(s *simfile.Server) { s.Jump(3 * time.Second) }}
	simulated(t, jump, func(p *sim.Process, c *Client) {
		if lost, after := holds(t, p, c, 8*time.Second); !lost || after < time.Second || after > 2*time.Second {
			t.Errorf("lost is %v, after %v", lost, after)
		}
		if err := c.Unlock(context.Background(), "lock", "me"); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("unlock: %v", err)
		}
		if lost, after := holds(t, p, c, time.Second); lost {
			t.Errorf("the next one was lost after %v", after)
		}
	}, func(*sim.Process, *Client) {})
}

// TestClosed: a closed client makes no requests.
func TestClosed(t *testing.T) {
	simulated(t, nil, func(_ *sim.Process, c *Client) {
		c.Close()
		if err := c.Create(context.Background(), "x", ""); !errors.Is(err, lock.ErrClosed) {
			t.Error(err)
		}
	}, func(*sim.Process, *Client) {})
}
