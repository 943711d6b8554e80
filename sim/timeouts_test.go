package sim_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

func TestTimeouts(t *testing.T) {
	o := sim.Timeouts{Percent: []int{100, 150}, Usual: 3 * time.Second, Most: 20 * time.Second}
	for _, test := range []struct{ set, over, between time.Duration }{
		{0, 3 * time.Second, 4500 * ms}, // none is set
		{50 * ms, 50 * ms, 75 * ms},
		{3 * time.Second, 3 * time.Second, 4500 * ms},
		{5 * time.Second, 5 * time.Second, 7500 * ms},
		{20 * time.Second, 20 * time.Second, 30 * time.Second},
		{time.Minute, 3 * time.Second, 4500 * ms}, // too long to go by
	} {
		if over, between := o.Length(0, test.set), o.Length(1, test.set); over != test.over || between != test.between {
			t.Errorf("%v: %v and %v, want %v and %v", test.set, over, between, test.over, test.between)
		}
	}
}

// TestTimeoutIsLearnt: what a client waits for is how far off its read deadline was
// when it was set.
func TestTimeoutIsLearnt(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(c *sim.Conn)
		want time.Duration
	}{
		{"none", func(*sim.Conn) {}, 0},
		{"a deadline", func(c *sim.Conn) { must(c.SetReadDeadline(time.Now().Add(300 * ms))) }, 300 * ms},
		{"both deadlines", func(c *sim.Conn) { must(c.SetDeadline(time.Now().Add(300 * ms))) }, 300 * ms},
		{"that of writes", func(c *sim.Conn) { must(c.SetWriteDeadline(time.Now().Add(300 * ms))) }, 0},
		{"an interruption", func(c *sim.Conn) {
			must(c.SetReadDeadline(time.Now().Add(300 * ms)))
			must(c.SetReadDeadline(time.Now().Add(-time.Hour)))
		}, 300 * ms},
		{"taken back", func(c *sim.Conn) {
			must(c.SetReadDeadline(time.Now().Add(300 * ms)))
			must(c.SetReadDeadline(time.Time{}))
		}, 0},
	} {
		var one, all time.Duration
		run(t, nil, func(w *sim.World) {
			server := echo(w)
			client(w, "c1", func(p *sim.Process) {
				c := dialed(p).(*sim.Conn)
				test.set(c)
				p.Mark(0, "look", func(sim.Event) { one, all = c.Timeout(), w.Network().Timeout(server) })
				must(c.Close())
			})
		})
		if one != test.want || all != test.want {
			t.Errorf("%s: %v, of all connections %v, want %v", test.name, one, all, test.want)
		}
	}
}

// TestLateByTimeout: an answer that is late by a class of time-outs comes just before
// the client gives up, just after that, or when it has waited for nearly as long again.
func TestLateByTimeout(t *testing.T) {
	for option, comes := range []time.Duration{0, 270 * ms, 300 * ms, 570 * ms} {
		var missed error
		var came time.Duration
		run(t, lateOnce("server", 1, option), func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 200 * us, Late: []sim.Lateness{{Budget: 1, Timeouts: sim.Timeouts{Percent: []int{90, 100, 190}, Usual: time.Minute, Most: time.Hour}}}})
			echo(w)
			client(w, "c1", func(p *sim.Process) {
				c := dialed(p)
				start := since()
				must(c.SetReadDeadline(time.Now().Add(300 * ms)))
				missed = ping(c, "x")
				if missed != nil {
					must(c.SetReadDeadline(time.Now().Add(300 * ms)))
					_, err := c.Read(make([]byte, 1))
					must(err)
				}
				came = since() - start
				must(c.Close())
			})
		})
		if (missed != nil) != (option > 1) || missed != nil && !errors.Is(missed, os.ErrDeadlineExceeded) {
			t.Errorf("option %d: %v", option, missed)
		}
		if came < comes || came > comes+2*ms {
			t.Errorf("option %d: the answer came after %v, want %v and a little", option, came, comes)
		}
	}
}

// TestLateByDialTimeout: for a connection attempt it is how long the dialer waits,
// by its timeout or its context.
func TestLateByDialTimeout(t *testing.T) {
	for _, test := range []struct{ timeout, context, want time.Duration }{
		{0, 0, time.Minute},
		{700 * ms, 0, 700 * ms},
		{0, 300 * ms, 300 * ms},
		{700 * ms, 300 * ms, 300 * ms},
		{300 * ms, 700 * ms, 300 * ms},
	} {
		var late time.Duration
		run(t, lateOnce("c1", 0, 1), func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 200 * us, Late: []sim.Lateness{{Budget: 1, Timeouts: sim.Timeouts{Percent: []int{100}, Usual: time.Minute, Most: time.Hour}}}})
			w.OnFault(func(f sim.Fault) { late = f.For })
			echo(w)
			client(w, "c1", func(p *sim.Process) {
				ctx := context.Background()
				if test.context > 0 {
					limited, cancel := context.WithTimeout(ctx, test.context)
					defer cancel()
					ctx = limited
				}
				if c, err := p.DialContext(ctx, "tcp", address, test.timeout); err == nil {
					must(c.Close())
				}
			})
		})
		if late != test.want {
			t.Errorf("%+v: late by %v", test, late)
		}
	}
}

// lateOnce is a tape that holds back one segment of an actor, by a class.
func lateOnce(actor string, occurrence, option int) sim.Tape {
	return tapeFunc(func(d sim.Decision) int {
		if d.Kind == sim.Delay && d.Actor == actor && d.Occurrence == occurrence {
			return option
		}
		return 0
	})
}
