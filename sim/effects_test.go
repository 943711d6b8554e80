package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestShows: each recorded choice that is not the calm one names the event in
// which that shows, and each event of a fault names its decision.
func TestShows(t *testing.T) {
	named, shown, asked := map[sim.EventKind]int{}, 0, 0
	for seed := range 40 {
		r := run(t, randomTape(uint64(seed)), busy)
		byID := map[string]sim.Choice{}
		for _, c := range r.Choices {
			byID[c.ID()] = c
			if c.Option == 0 || c.Kind == sim.Seed {
				if c.Shows != 0 && c.Kind != sim.Order {
					t.Errorf("seed %d: %s is calm, and shows in event %d", seed, c.ID(), c.Shows)
				}
				continue
			}
			asked++
			if c.Shows == 0 {
				continue
			}
			shown++
			if e := r.Events[c.Shows-1]; !fits(c, &e) {
				t.Errorf("seed %d: %s is said to show in event %d: %s", seed, c.ID(), e.Seq, list(r.Events[c.Shows-1:c.Shows]))
			}
		}
		for _, e := range r.Events {
			c, known := byID[e.Decision]
			switch {
			case e.Kind == sim.EventFault && e.Decision == "":
				t.Errorf("seed %d: event %d is a fault of no decision", seed, e.Seq)
			case e.Decision == "":
			case !known || c.Option == 0 || c.After >= e.Seq:
				t.Errorf("seed %d: event %d is of %q, which did not strike before", seed, e.Seq, e.Decision)
			default:
				named[e.Kind]++
			}
		}
	}
	t.Logf("%d of %d choices show; events of faults: %v", shown, asked, named)
	if shown*10 < asked*9 || named[sim.EventFault] == 0 || named[sim.EventReset] == 0 || named[sim.EventDrop] == 0 {
		t.Error("too few")
	}
}

// fits reports whether a choice can show in an event.
func fits(c sim.Choice, e *sim.Event) bool {
	segment := slices.Contains([]sim.EventKind{sim.EventDeliver, sim.EventDrop, sim.EventClose, sim.EventDial}, e.Kind)
	switch {
	case c.After >= e.Seq:
		return false
	case c.Kind == sim.Latency:
		return segment && e.Peer == c.Actor
	case c.Kind == sim.Delay:
		return segment && e.Peer == c.Actor && e.Late
	case strings.HasPrefix(string(c.Kind), "fault:"):
		return strings.Contains(fmt.Sprint(sim.EventFault, sim.EventReset, sim.EventDrop), string(e.Kind))
	}
	return c.Kind == sim.Order
}
