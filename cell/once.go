package cell

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Once is the result of one run, for programs that choose schedules by themselves.
type Once struct {
	// Verdicts are those on every property that was judged; none if the run failed or was not to be judged.
	Verdicts []model.Verdict
	// Class is that of the run up to the order of independent events ([sim.Trail.Class]).
	Class uint64
	// Failure is set if code of the run panicked or left goroutines behind, or a server refused a request.
	Failure *sim.Failure
}

// Once runs the cell once, as the tape decides, in this process, and judges the run if it is to be judged. Concurrent runs
// wait for each other.
func (c Cell) Once(tape sim.Tape, judge bool) Once {
	if !judge {
		_, _, _, report := c.simulate(explore.Run{Tape: tape})
		return Once{Failure: report.Failure}
	}
	out := c.Run(explore.Run{Tape: tape, Trail: true})
	o := Once{Verdicts: out.Verdicts, Failure: out.Failure}
	if out.Trail != nil {
		o.Class = out.Trail.Class()
	}
	return o
}
