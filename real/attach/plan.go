package attach

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Phase is a part of a client's round.
type Phase string

// The phases. Hold lasts from the answer to acquire to the order to release, but for extend.
const (
	Acquiring Phase = "acquire"
	Holding   Phase = "hold"
	Extending Phase = "extend"
	Releasing Phase = "release"
)

var phases = []Phase{Acquiring, Holding, Extending, Releasing}

// Point is a point of a run in terms of what passes a gate: a request of a client, or the beginning of a hold.
type Point struct {
	Client string
	Phase  Phase
	Round  int // of the client, from 1
	// Request is the signature of the request; empty for the beginning of the hold.
	Request string
	// N counts such requests of the phase and the round, from 1. 0 is the first one that has changed a record.
	N int
}

// Action is what a fault does.
type Action string

// The actions. A request is lost with its connection before it reaches the server, and an answer before it reaches the
// client. A process is stopped, or killed, when the server has executed the request, and before the answer arrives.
const (
	LoseRequest Action = "lose request"
	LoseAnswer  Action = "lose answer"
	DelayQuery  Action = "delay request"
	DelayAnswer Action = "delay answer"
	StopClient  Action = "stop client"
	KillClient  Action = "kill client"
	FailOver    Action = "fail over"
)

var actions = []Action{LoseRequest, LoseAnswer, DelayQuery, DelayAnswer, StopClient, KillClient, FailOver}

// lasts reports whether the action has an end.
func (a Action) lasts() bool { return a == DelayQuery || a == DelayAnswer || a == StopClient }

// early reports whether it strikes before the request reaches the server.
func (a Action) early() bool { return a == LoseRequest || a == DelayQuery }

// Fault is an action at a point.
type Fault struct {
	At Point
	Do Action
	// Passed is how many requests of other clients pass until a delay or a stop ends; or [UntilGone] or [UntilFree].
	Passed int
}

// Ends of a delay or a stop, in place of a number of requests.
const (
	// UntilGone: the store has no record of the client's any more, or the lease is over, and another client has the lock.
	UntilGone = 0
	// UntilFree: another client has had the lock as well, and has released it.
	UntilFree = -1
)

// Plan are the faults of a run.
type Plan []Fault

// String returns the fault as text, which [ParseFault] reads: "c1 acquire 1, SET lock 1: delay request until gone".
func (f Fault) String() string {
	text := fmt.Sprintf("%s %s %d", f.At.Client, f.At.Phase, f.At.Round)
	if f.At.Request != "" {
		n := "changing"
		if f.At.N > 0 {
			n = strconv.Itoa(f.At.N)
		}
		text += ", " + f.At.Request + " " + n
	}
	text += ": " + string(f.Do)
	switch {
	case f.Do.lasts() && f.Passed == UntilGone:
		text += " until gone"
	case f.Do.lasts() && f.Passed == UntilFree:
		text += " until free"
	case f.Do.lasts():
		text += fmt.Sprintf(" until %d passed", f.Passed)
	}
	return text
}

// ParseFault reads the text of a fault.
func ParseFault(text string) (f Fault, err error) {
	bad := func(what string) (Fault, error) {
		return Fault{}, fmt.Errorf("the fault %q: %s; want a text such as %q", text, what, Fault{Point{"c1", Acquiring, 1, "SET lock", 1}, DelayQuery, 0}.String())
	}
	i := strings.LastIndex(text, ": ")
	if i < 0 {
		return bad("it has no action after a colon")
	}
	place, action := text[:i], text[i+2:]
	place, request, atRequest := strings.Cut(place, ", ")
	words := strings.Fields(place)
	if len(words) != 3 || !slices.Contains(phases, Phase(words[1])) {
		return bad("the point is a client, a phase (acquire, hold, extend, release) and the number of a round")
	}
	f.At = Point{Client: words[0], Phase: Phase(words[1])}
	if f.At.Round, err = strconv.Atoi(words[2]); err != nil || f.At.Round < 1 {
		return bad("the number of the round is from 1")
	}
	if atRequest {
		k := strings.LastIndex(request, " ")
		if k < 1 {
			return bad("a request has a number, or \"changing\", behind it")
		}
		f.At.Request = request[:k]
		if n := request[k+1:]; n != "changing" {
			if f.At.N, err = strconv.Atoi(n); err != nil || f.At.N < 1 {
				return bad("a request has a number, or \"changing\", behind it")
			}
		}
	}
	do, until, lasts := strings.Cut(action, " until ")
	f.Do = Action(do)
	switch {
	case !lasts || until == "gone":
	case until == "free":
		f.Passed = UntilFree
	default:
		n, ok := strings.CutSuffix(until, " passed")
		if f.Passed, err = strconv.Atoi(n); err != nil || !ok || f.Passed < 1 {
			return bad("a delay or a stop lasts \"until gone\", \"until free\" or \"until 3 passed\"")
		}
	}
	switch {
	case !slices.Contains(actions, f.Do) || lasts != f.Do.lasts():
		return bad("there is no action " + strconv.Quote(action))
	case f.At.Request == "" && (f.At.Phase != Holding || f.Do != StopClient && f.Do != KillClient && f.Do != FailOver):
		return bad("that action is at a request")
	case f.At.Request != "" && f.At.N == 0 && f.Do.early():
		return bad("what a request changes is not known before it reaches the server")
	}
	return f, nil
}

// Strings returns the texts of the faults.
func (p Plan) Strings() []string {
	var list []string
	for _, f := range p {
		list = append(list, f.String())
	}
	return list
}

// ParsePlan reads the texts of faults.
func ParsePlan(list []string) (p Plan, err error) {
	for _, text := range list {
		f, err := ParseFault(text)
		if err != nil {
			return nil, err
		}
		p = append(p, f)
	}
	return p, nil
}
