package sim_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

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
