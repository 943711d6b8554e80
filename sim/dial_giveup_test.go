package sim_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestDialGivenUpAtOnce: of an attempt to connect whose context another goroutine
// ends in the same step nobody hears.
func TestDialGivenUpAtOnce(t *testing.T) {
	for range 5 {
		r := sim.Run(sim.Config{Record: true}, func(w *sim.World) {
			echo(w)
			client(w, "c1", func(p *sim.Process) {
				ctx, cancel := context.WithCancel(context.Background())
				var both sync.WaitGroup
				both.Go(func() {
					if _, err := p.DialContext(ctx, "tcp", address, 0); !errors.Is(err, context.Canceled) {
						t.Errorf("dialing ended with %v", err)
					}
				})
				both.Go(func() {
					for range 1000 {
						runtime.Gosched() // the step goes on until this goroutine is blocked, too
					}
					cancel()
				})
				both.Wait()
				p.Step("afterwards", ms)
			})
		})
		for _, e := range r.Events {
			if e.Kind == sim.EventDial {
				t.Fatalf("somebody heard of it: %+v", e)
			}
		}
	}
}

// TestDialWithTwoLimits: where the context's deadline and the timeout are one, as newer versions of
// go-redis have it, the attempt ends by the context, wherever in its window it has begun.
func TestDialWithTwoLimits(t *testing.T) {
	const limit = 5 * ms
	for offset := range 40 {
		r := run(t, nil, func(w *sim.World) {
			server := echo(w)
			p := client(w, "c1", func(p *sim.Process) {
				sleepUntil(10*ms + time.Duration(offset)*us)
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				if _, err := p.DialContext(ctx, "tcp", address, limit); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("begun %d us after a window: %v", offset, err)
				}
			})
			at(w, w.NewActor("faults"), ms, func() { w.Network().Cut(p.Actor, server) })
		})
		if timeouts := find(r, sim.EventTimeout, "c1"); len(timeouts) > 0 {
			t.Errorf("begun %d us after a window: %d timeouts", offset, len(timeouts))
		}
	}
}
