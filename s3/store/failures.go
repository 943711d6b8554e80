package store

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/s3/sims3"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const (
	slowDown      sim.Kind = "fault:slow-down"
	internalError sim.Kind = "fault:internal-error"
	conflict      sim.Kind = "fault:conditional-conflict"
)

// The texts of the failures in the log.
const (
	faultSlowDown     sim.FaultKind = "slow-down"
	faultInternal     sim.FaultKind = "internal-error"
	faultInternalDone sim.FaultKind = "internal-error-executed"
	faultConflict     sim.FaultKind = "conditional-conflict"
)

// SlowDowns answer requests with 503 SlowDown. The requests are not executed.
var SlowDowns = failing(&stage.Fault{
	Name: "slow-downs", Most: 64,
	About: "how many requests S3 may answer with 503 SlowDown",
	One:   "a request that S3 answers with 503 SlowDown",
	Many:  "requests that S3 answers with 503 SlowDown",
	Kinds: []sim.Kind{slowDown},
}, (*sims3.Server).Requests, failure{sims3.SlowDown, faultSlowDown, "is answered with 503 SlowDown"})

// InternalErrors answer requests with 500 InternalError. The requests are executed or not.
var InternalErrors = failing(&stage.Fault{
	Name: "internal-errors", Most: 64,
	About:   "how many requests S3 may answer with 500 InternalError, executed or not",
	One:     "a request that S3 answers with 500 InternalError",
	Many:    "requests that S3 answers with 500 InternalError",
	Classes: func(stage.Params, stage.Terms) []string { return []string{"not executed", "executed"} },
	Kinds:   []sim.Kind{internalError},
}, (*sims3.Server).Requests,
	failure{sims3.InternalError, faultInternal, "is answered with 500 InternalError and not executed"},
	failure{sims3.InternalErrorDone, faultInternalDone, "is answered with 500 InternalError and executed"})

// Conflicts answer conditional PUTs that come at the time of a deletion of their object with 409
// ConditionalRequestConflict. They are not executed.
var Conflicts = failing(&stage.Fault{
	Name: "conflicts", Most: 64,
	About: "how many conditional PUTs S3 may answer with 409 ConditionalRequestConflict, when their object was just deleted",
	One:   "a conditional PUT that S3 answers with 409 ConditionalRequestConflict",
	Many:  "conditional PUTs that S3 answers with 409 ConditionalRequestConflict",
	Kinds: []sim.Kind{conflict},
}, (*sims3.Server).Conflicts, failure{sims3.Conflict, faultConflict, "is answered with 409 ConditionalRequestConflict"})

// failure is a way in which a request fails.
type failure struct {
	how  sims3.Failure
	log  sim.FaultKind
	text string
}

// failureOdds is how rare failures are in a random run.
const failureOdds = 15

// failing makes a fault fail requests for which can returns true.
func failing(f *stage.Fault, can func(*sims3.Server, sim.Upcoming) bool, ways ...failure) *stage.Fault {
	f.Inject = func(s *stage.Stage, budget int) {
		s.Strike(budget, stage.Strikes{
			Kind: f.Kinds[0], Options: len(ways), Odds: failureOdds,
			Can: func(e sim.Upcoming) bool {
				n, is := s.Up(e).(node)
				return is && can(n.Server, e)
			},
			Do: func(e sim.Upcoming, option int) bool {
				n, is := s.Up(e).(node)
				if !is {
					return false
				}
				s.World.Strike(e.Actor, sim.Fault{Kind: ways[option].log, Task: e.Task()})
				n.Fail(e.Conn(), ways[option].how)
				return true
			},
		})
	}
	f.Describe = func(t *stage.Choice) string {
		for _, w := range ways {
			if t.Event != nil && t.Event.Detail == string(w.log) || len(ways) == 1 && t.Struck(w.log) {
				return fmt.Sprintf("a request %s at %s", w.text, traces.Moment(t.Event.At))
			}
		}
		return ""
	}
	return f
}

// Failures returns all of these failures that the request may meet.
func (n node) Failures(e sim.Upcoming) (list []stage.Failure) {
	if !n.Requests(e) {
		return nil
	}
	add := func(how sims3.Failure, outcome string) {
		list = append(list, stage.Failure{Text: how.String() + outcome, Give: func() { n.Fail(e.Conn(), how) }})
	}
	add(sims3.InternalErrorDone, " (executed)")
	add(sims3.InternalError, " (not executed)")
	add(sims3.SlowDown, " (not executed)")
	if n.Conflicts(e) {
		add(sims3.Conflict, " (not executed)")
	}
	return list
}
