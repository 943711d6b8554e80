package faults

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const serverError sim.Kind = "fault:server-error"

// ServerErrors answer requests with errors that the requests have not caused: the server has too much to do, or
// something in it fails. It has carried the request out or not.
var ServerErrors = &stage.Fault{
	Name: "server-errors", Most: 64,
	About: "how many requests a {node} may answer with an error of its own, carried out or not",
	One:   "a request that a {node} answers with an error of its own",
	Many:  "requests that a {node} answers with errors of its own",
	Lacks: unlessNode[stage.Failing]("the simulation of {store} has no errors that requests have not caused"),
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&serverErrors{Stage: s, budget: budget})
	},
	Kinds:    []sim.Kind{serverError},
	Describe: describeServerError,
}

const serverErrorOdds = 15

// faultServerError begins the text of such an error in the log.
const faultServerError = "answers "

type serverErrors struct {
	*stage.Stage
	budget int
}

// Before asks the tape whether a request that is about to arrive fails, and how.
func (f *serverErrors) Before(e sim.Upcoming) bool {
	n, can := f.Up(e).(stage.Failing)
	if f.budget == 0 || !can {
		return false
	}
	ways := n.Failures(e)
	if len(ways) == 0 {
		return false
	}
	option := f.World.Choose(sim.Decision{Kind: serverError, Actor: e.Actor.Name(), Options: 1 + len(ways), Odds: serverErrorOdds})
	if option == 0 {
		return false
	}
	f.budget--
	f.World.Strike(e.Actor, sim.Fault{Kind: sim.FaultKind(faultServerError + ways[option-1].Text), Task: e.Task()})
	ways[option-1].Give()
	return true
}

// describeServerError describes the answer to a request.
func describeServerError(t *stage.Choice) string {
	if t.Event == nil {
		return ""
	}
	how, is := strings.CutPrefix(t.Event.Detail, faultServerError)
	if !is {
		return ""
	}
	return fmt.Sprintf("%s answers a request at %s with %s", t.Event.Actor, traces.Moment(t.Event.At), how)
}
