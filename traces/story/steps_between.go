package story

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// maxNamed is the maximum number of clients that a summary names.
const maxNamed = 3

// betweenSteps finds the steps that summarize acquisitions without steps.
type betweenSteps struct{ plot *Plot }

// betweenSteps returns steps that summarize the writes of other acquisitions whose value one of the story's acquisitions
// reads or overwrites. The step of the read needs the summary.
func (s betweenSteps) betweenSteps(told []candidate) []candidate {
	var steps []candidate
	skipped := map[string][]*model.Observation{} // by resource: writes since the last access that has a step
	begun := map[string]bool{}                   // by resource: an access has a step
	for i := range s.plot.Trace.History.Observations {
		o := &s.plot.Trace.History.Observations[i]
		if o.Kind != model.ResourceRead && o.Kind != model.ResourceWritten {
			continue
		}
		switch writes := skipped[o.Node]; {
		case s.plot.Concerns(o.By.Op):
			if len(writes) > 0 {
				between := s.summary(writes, o)
				if !begun[o.Node] {
					between.weight = minor + 1 // no earlier step contradicts it
				}
				steps = append(steps, between)
				for j := range told {
					if told[j].Seq == o.Seq && o.Kind == model.ResourceRead {
						told[j].needs = between.Seq
					}
				}
			}
			delete(skipped, o.Node)
			begun[o.Node] = true
		case o.Kind == model.ResourceWritten:
			skipped[o.Node] = append(writes, o)
		}
	}
	return steps
}

// summary returns one step for writes that lead to an access with a step.
func (s betweenSteps) summary(writes []*model.Observation, access *model.Observation) candidate {
	last := writes[len(writes)-1]
	var holds []int
	var clients []string
	for _, w := range writes {
		if id := AcquisitionOf(s.plot.Trace, w.By.Op); !slices.Contains(holds, id) {
			holds = append(holds, id)
		}
		if !slices.Contains(clients, w.By.Client) {
			clients = append(clients, w.By.Client)
		}
	}
	if slices.Contains(holds, 0) || slices.Contains(clients, "") {
		return step(last.Stamp, last.Node, fmt.Sprintf("the value is now %d", last.Number), helpful)
	}
	if len(holds) == 1 {
		return s.holdStep(holds[0], last, access)
	}
	first := writes[0].Stamp
	if a := s.plot.Trace.History.Operation(holds[0]); a.Return.Happened() && a.Return.Seq < first.Seq {
		first = a.Return
	}
	who := "others"
	if len(clients) <= maxNamed {
		slices.Sort(clients)
		who = list(printables(clients))
	}
	text := fmt.Sprintf("%s %s the lock %d times from %s to %s; the value is now %d", who,
		wording.Form(len(clients), "holds", "hold"), len(holds), traces.Seconds(first.At, 4), traces.Seconds(last.At, 4), last.Number)
	return step(last.Stamp, last.Node, text, helpful)
}

// holdStep returns one step for a whole acquisition and its last write.
func (s betweenSteps) holdStep(acquisition int, last, access *model.Observation) candidate {
	a := s.plot.Trace.History.Operation(acquisition)
	if !a.Return.Happened() || a.Return.Seq > last.Seq {
		return step(last.Stamp, a.Client, fmt.Sprintf("writes %d", last.Number), helpful)
	}
	released := slices.ContainsFunc(s.plot.Trace.History.Operations, func(o model.Operation) bool {
		return o.Kind == model.Release && o.Acquisition == acquisition && o.Result == model.OK && o.Return.Seq < access.Seq
	})
	text := fmt.Sprintf("acquires the lock and writes %d", last.Number)
	if released {
		text = fmt.Sprintf("acquires the lock, writes %d and releases it", last.Number)
	}
	return step(a.Return, a.Client, text, helpful)
}
