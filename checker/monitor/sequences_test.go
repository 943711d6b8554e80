package monitor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// TestAgreementOnSequences compares monitors with porcupine on every sequence of a few calls of two clients: one after
// the other, answered or of unknown outcome, with the ends of leases and crashes between them. Random histories seldom
// have several calls that depend on each other.
func TestAgreementOnSequences(t *testing.T) {
	for _, spec := range []model.Spec{
		{Kind: model.KindMutex}, {Kind: model.KindLeased}, {Kind: model.KindReentrant}, {Kind: model.KindReentrant, Limit: 1}, {Kind: model.KindReentrant, Limit: 2},
		{Kind: model.KindReadWrite}, {Kind: model.KindSemaphore, Permits: 1}, {Kind: model.KindSemaphore, Permits: 2},
	} {
		t.Run(fmt.Sprint(spec.Kind, "-", spec.Limit+int(spec.Permits)), func(t *testing.T) {
			counts := map[model.Status]int{}
			agrees := func(calls []model.Call) (goOn bool) {
				r, err := monitor.Judge(spec, calls, monitor.Bound{Time: time.Nanosecond})
				if err != nil {
					t.Fatal(err)
				}
				if r.Searched {
					r.Status = model.Undecided
				} else if legal := porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls)); legal != (r.Status == model.Holds) {
					t.Fatalf("porcupine: legal %v; monitor: %s, %+v\n%+v\n%s", legal, r.Status, r.Violation, spec, histories.Text(calls))
				}
				counts[r.Status]++
				return r.Status != model.Violated
			}
			long := 5
			if testing.Short() || spec.Kind == model.KindReadWrite { // which has more operations
				long = 4
			}
			sequences(spec, []model.Outcome{model.OK, model.Failed}, nil, long, agrees)
			t.Log(counts)
			if counts[model.Holds] == 0 || counts[model.Violated] == 0 || counts[model.Undecided] > counts[model.Holds]/3 {
				t.Error(counts)
			}
			sequences(spec, []model.Outcome{model.OK, model.Failed, model.Unknown}, nil, long-1, agrees)
		})
	}
}

// sequences calls f with every sequence that begins with the given calls and has up to more further ones, each with one of the
// outcomes. Where f returns false the sequence is not extended.
func sequences(spec model.Spec, outcomes []model.Outcome, calls []model.Call, more int, f func([]model.Call) (goOn bool)) {
	if len(calls) > 0 && !f(calls) || more == 0 {
		return
	}
	clients := []string{"c1", "c2"}
	if len(calls) == 0 {
		clients = clients[:1] // the other would do the same
	}
	for _, client := range clients {
		for _, op := range spec.Kind.Ops() {
			c := model.Call{ID: len(calls) + 1, Client: client, Object: "o", Op: op, Call: int64(2*len(calls) + 1), Outcome: model.Unknown}
			add := func(c model.Call) { sequences(spec, outcomes, append(calls[:len(calls):len(calls)], c), more-1, f) }
			switch {
			case op == model.Crash:
				add(c)
			case op == model.Expire:
				for i := range calls {
					if x := &calls[i]; x.Client == client && x.Op == model.Acquire && x.Outcome == model.OK {
						c.Of = x.ID
						add(c)
					}
				}
			default:
				c.Return = c.Call + 1
				for _, c.Outcome = range outcomes {
					c.Try = c.Outcome == model.Failed && op.Acquires()
					add(c)
				}
			}
		}
	}
}
