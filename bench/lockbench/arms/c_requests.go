package arms

import (
	"math/rand/v2"
	"time"

	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/real/stress"
)

// Requests is a stress through a gate that knows the protocol.
func Requests() trial.Arm {
	return &stressed{
		id: "C", name: "stress + requests lost and delayed", active: 3 * time.Second,
		about:  "Four client processes on a real server, behind a gate that reads the protocol and loses or delays single requests and answers: in each round of 3 s a random choice of kinds, at 1, 3, 10 or 30 percent of the messages.",
		faults: func(r *rand.Rand) stress.Faults { return newRequests(r) },
	}
}

// requests loses and delays single requests and answers. A round has only some of the kinds, at one rate: rounds differ more
// than if each had everything.
type requests struct {
	stress.None
	random *rand.Rand
	rate   float64
	kinds  int // a bit for each of: request lost, answer lost, request late, answer late
	long   bool
}

func newRequests(r *rand.Rand) *requests {
	return &requests{random: r, rate: []float64{0.01, 0.03, 0.1, 0.3}[r.IntN(4)], kinds: 1 + r.IntN(15), long: r.IntN(3) > 0}
}

// Request loses it or holds it.
func (q *requests) Request(m stress.Message) stress.Fate { return q.fate(m, q.kinds) }

// Answer loses it or holds it.
func (q *requests) Answer(m stress.Message) stress.Fate { return q.fate(m, q.kinds>>1) }

// fate draws that of a message; bit 0 of kinds says whether it may be lost, and bit 2 whether it may be late.
func (q *requests) fate(m stress.Message, kinds int) stress.Fate {
	if m.What == "" || q.random.Float64() >= q.rate {
		return stress.Fate{}
	}
	loses, late := kinds&1 != 0, kinds&4 != 0
	if loses && late {
		loses = q.random.IntN(2) == 0
	}
	switch {
	case loses:
		return stress.Fate{Lost: true}
	case late && q.long:
		return stress.Fate{Late: upTo(q.random, trial.Lease*3/2)}
	case late:
		return stress.Fate{Late: upTo(q.random, trial.Lease/10)}
	}
	return stress.Fate{}
}
