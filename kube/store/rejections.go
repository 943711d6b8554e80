package store

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const rejection sim.Kind = "fault:rejection"

// faultRejection is the text of a rejection in the log.
const faultRejection sim.FaultKind = "reject"

// Rejections are requests that a server rejects with 429, as its priority and fairness does when there are too
// many.
var Rejections = &stage.Fault{
	Name: "rejections", Most: 64,
	About: "how many requests an {node} may reject (429 Too Many Requests)",
	One:   "a request that an {node} rejects",
	Many:  "requests that an {node} rejects",
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&rejections{Stage: s, budget: budget})
	},
	Kinds:    []sim.Kind{rejection},
	Describe: describeRejection,
}

const rejectionOdds = 25

type rejections struct {
	*stage.Stage
	budget int
}

// Before asks the tape whether a request of a client that is about to arrive is rejected.
func (f *rejections) Before(e sim.Upcoming) bool {
	n, is := f.Up(e).(server)
	if f.budget == 0 || !is || e.Conn() == nil || n.Hangs() {
		return false
	}
	if f.World.Choose(sim.Decision{Kind: rejection, Actor: e.Actor.Name(), Options: 2, Odds: rejectionOdds}) == 0 {
		return false
	}
	f.budget--
	f.World.Fault(e.Actor, faultRejection, 0)
	n.Reject()
	return true
}

// describeRejection describes a rejection.
func describeRejection(t *stage.Choice) string {
	if !t.Struck(faultRejection) {
		return ""
	}
	return fmt.Sprintf("%s rejects the next request at %s", t.Event.Actor, traces.Moment(t.Event.At))
}

// Failures returns the errors that a request may meet: a rejection, and for one that writes, a connection to etcd that
// breaks before the answer.
func (s server) Failures(e sim.Upcoming) (list []stage.Failure) {
	if !s.Requests(e) {
		return nil
	}
	if s.Writes(e) {
		list = append(list,
			stage.Failure{Text: "500 Internal Server Error (executed)", Give: func() { s.Fail(e.Conn(), true) }},
			stage.Failure{Text: "500 Internal Server Error (not executed)", Give: func() { s.Fail(e.Conn(), false) }})
	}
	return append(list, stage.Failure{Text: "429 Too Many Requests (not executed)", Give: s.Reject})
}
