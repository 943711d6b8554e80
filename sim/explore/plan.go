package explore

import (
	"math/rand/v2"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// The dimensions of a place.
const (
	byKind = iota
	byProcess
	byTask
	byTaskNumber
	byActor
	byEvent
	byStep
	dims
)

// place is a kind of fault, a site at which it may strike, and the number of the task.
type place [dims]uint64

func placeOf(d *sim.Decision) place {
	var kind sim.Digest
	kind.String(string(d.Kind))
	return place{
		byKind: kind.Sum(), byProcess: uint64(d.Site.Process), byTask: d.Site.Task, byTaskNumber: uint64(d.TaskNumber),
		byActor: uint64(d.Site.Actor), byEvent: d.Site.Event, byStep: uint64(d.Site.Step),
	}
}

// plan is a planned schedule: the places of faults, and the noise of all other
// decisions.
type plan struct {
	strikes []strike
	first   int // how many of the strikes must come before all others
	noise   noise
	extends bool // it extends a run with a seldom request
}

// noise decides orders and latencies: calmly, by pct, by pos or evenly.
type noise struct {
	seed   uint64
	order  int
	jitter int
	orders int // the approximate number of decisions about orders
}

const (
	calmly = iota
	byPCT
	byPOS
)

// strike is a number of faults of one sort, at the places that match it in some
// dimensions, from a passing on.
type strike struct {
	fixed   [dims]bool
	at      place
	option  int
	skip    int
	times   int
	from    bool // at that step or a later one
	perTask bool // once in each task of a process
	last    [3]uint64
}

// everywhere strikes whenever it can.
var everywhere = strike{option: 1, times: 1 << 30}

func (k *strike) covers(at *place) bool {
	for dim, v := range at {
		later := k.from && dim == byStep && v > k.at[dim]
		if k.fixed[dim] && k.at[dim] != v && !later {
			return false
		}
	}
	return true
}

// due counts the passing, and reports whether the strike may happen there.
func (k *strike) due(at *place) bool {
	if k.times == 0 || !k.covers(at) {
		return false
	}
	if k.skip > 0 {
		k.skip--
		return false
	}
	return !k.perTask || taskOf(at) != k.last
}

// hit notes that the strike has struck.
func (k *strike) hit(at *place) { k.times, k.last = k.times-1, taskOf(at) }

func taskOf(at *place) [3]uint64 { return [...]uint64{at[byProcess], at[byTask], at[byTaskNumber]} }

// planTape is the tape of a plan.
type planTape struct {
	noise
	rng  *rand.Rand
	left []strike
	wait int // the number of strikes that must come before all others; 0 when they have
	pct  *pctTape
	pos  *posTape
}

func newPlanTape(p *plan) *planTape {
	rng := rand.New(rand.NewPCG(p.noise.seed, 0))
	return &planTape{noise: p.noise, rng: rng, left: slices.Clone(p.strikes), wait: p.first, pct: newPCTTape(rng, 1, p.noise.orders), pos: newPOSTape(rng)}
}

// Choose answers a decision.
func (t *planTape) Choose(d sim.Decision) int {
	switch {
	case isCourse(&d):
		return t.rng.IntN(d.Options)
	case isFault(d.Kind):
		return t.struck(&d)
	case d.Kind == sim.Latency && t.jitter == calmly, d.Kind == sim.Order && t.order == calmly:
		return 0
	case d.Kind == sim.Latency && t.jitter == byPCT:
		return t.pct.travel(d)
	case d.Kind == sim.Order && t.order == byPCT:
		return t.pct.first(d)
	case d.Kind == sim.Order && t.order == byPOS:
		return t.pos.first(d)
	case d.Kind == sim.Seed, d.Kind == sim.Latency, d.Kind == sim.Order:
		return t.rng.IntN(d.Options)
	}
	panic(unknownKind(GuidedStrategy, d))
}

// struck returns the option of the first strike that is due here, 0 if none is. All
// strikes count the passing.
func (t *planTape) struck(d *sim.Decision) (option int) {
	at := placeOf(d)
	left := t.left
	if t.wait > 0 {
		left = left[:t.wait]
	}
	for i := range left {
		if k := &left[i]; k.due(&at) && option == 0 {
			option = k.pick(d)
			k.hit(&at)
		}
	}
	if option > 0 && !slices.ContainsFunc(left, func(k strike) bool { return k.times > 0 }) {
		t.wait = 0
	}
	return option
}

// pick returns the option to strike with. If the options strike different processes, it
// is one for the strike's own process.
func (k *strike) pick(d *sim.Decision) int {
	var own []int
	for i, c := range d.Candidates {
		if who := int(k.at[byProcess]); k.fixed[byProcess] && (c.From == who || c.To == who) {
			own = append(own, i+1)
		}
	}
	if len(own) > 0 {
		return own[(k.option-1)%len(own)]
	}
	return min(k.option, d.Options-1)
}
