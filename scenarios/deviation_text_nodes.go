package scenarios

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simredis"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// restart tells of a restart, and of what it has cost.
func (t *teller) restart(c sim.Choice) (string, int64) {
	e := t.struck(c.After, "", sim.FaultCrash)
	if e == nil {
		return "", 0
	}
	kept := kept[c.Kind]
	with := map[simredis.Kept]string{
		simredis.KeptAll:       "with all of its data",
		simredis.KeptUntilSync: "without what it wrote in the last second",
		simredis.KeptNothing:   "empty",
	}[kept[(c.Option-1)%len(kept)]]
	return fmt.Sprintf("%s crashes at %s and restarts %s", e.Actor, traces.Moment(e.At), with), e.Seq
}

// partition tells of a partition, or of its course. All of its decisions are
// asked before the same event.
func (t *teller) partition(c sim.Choice) (string, int64) {
	e := t.struck(c.After, "", sim.FaultPartition)
	if e == nil {
		return "", 0
	}
	o := t.parting(e.Seq)
	if o == nil {
		return "", 0
	}
	left, right, _ := render.Sides(o.Value)
	a, b := render.List(left), render.List(right)
	switch c.Kind {
	case partitionFault:
		return fmt.Sprintf("a partition parts %s from %s at %s", a, b, traces.Moment(e.At)), e.Seq
	case partitionLasts:
		return "the partition lasts for " + traces.Briefly(o.For), e.Seq
	case partitionHolds:
		if sim.Direction(c.Option) == sim.FromBToA {
			a, b = b, a
		}
		return fmt.Sprintf("the partition holds only what goes from %s to %s", a, b), e.Seq
	}
	promoted := t.next(e.Seq, func(n *sim.Event) bool { return n.Kind == sim.EventNote && n.Detail == string(model.Promoted) })
	if promoted == nil {
		return "", 0
	}
	return promoted.Actor + " is promoted meanwhile", promoted.Seq
}

// parting is the observation of a partition, by its event, or nil.
func (t *teller) parting(seq int64) *model.Observation {
	for i := range t.History.Observations {
		if o := &t.History.Observations[i]; o.Seq == seq && o.Kind == model.Parted {
			return o
		}
	}
	return nil
}
