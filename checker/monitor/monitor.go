package monitor

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// Monitor judges one shared object while its events happen. It gets calls and
// returns in the order of their event numbers. A call comes before a return with
// the same number, because intervals are closed.
//
// A monitor is not safe for concurrent use. It keeps pointers to open calls, and to
// calls that later answers depend on.
type Monitor interface {
	// Call adds a call, a crash or an expiry. The monitor reads no results of it.
	Call(c *model.Call)
	// Return adds the answer of an earlier call. If the outcome is unknown the call
	// stays open for ever.
	Return(c *model.Call)
	// End ends the history: open calls stay open.
	End()
	// Result is the result so far. Once it is Violated it stays so; the event at
	// which that happens is the first violating event.
	Result() Result
}

// Result is the result of a monitor.
type Result struct {
	// Status is Holds, Violated or Undecided. Before the end, Holds means that
	// there is no violation so far.
	Status model.Status
	// Violation is the violation, if there is one.
	Violation *Violation
	// Doubt is why it is Undecided, and which information would decide.
	Doubt string
	// Searched is set if porcupine's search decided, not a monitor.
	Searched bool
}

// Rule is the rule that a violation breaks.
type Rule string

// The rules.
const (
	Exclusion Rule = "exclusion" // more was held at a time than is allowed
	Release   Rule = "release"   // something was released, or extended, that was not held
	Tokens    Rule = "tokens"    // a token did not grow
	Try       Rule = "try"       // a try failed although nothing was in its way
	Passed    Rule = "passed"    // an Await returned before the latch or the barrier was open
	Stayed    Rule = "stayed"    // an Await, or a Read, missed earlier effects
	Search    Rule = "search"    // no order was found, by trying all
)

// Violation is the reason why a history is illegal.
type Violation struct {
	Rule Rule
	// Calls are the IDs of the deciding calls, ascending; none if a search has tried all orders.
	Calls []int
	// At is the event at which it became certain.
	At int64
	// Sentence explains it: which holds, from when to when, by which reading.
	Sentence string
}

// New returns a monitor for an object of that kind.
func New(spec model.Spec) (Monitor, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	switch spec.Kind {
	case model.KindMutex, model.KindLeased, model.KindFenced:
		return newExclusive(spec.Kind, 1), nil
	case model.KindReentrant, model.KindReentrantFenced:
		return newExclusive(spec.Kind, spec.Limit), nil
	case model.KindReadWrite:
		return newReadWrite(), nil
	case model.KindSemaphore:
		return newSemaphore(spec.Permits), nil
	case model.KindLatch:
		return newLatch(spec.Count), nil
	case model.KindBarrier:
		return newBarrier(spec.Parties), nil
	}
	return nil, fmt.Errorf("kind %q: there is no monitor for it; porcupine can search an order", spec.Kind)
}

// verdict is the part of a monitor that keeps its result.
type verdict struct {
	violation *Violation
	// doubt is the first reason why the answer would not be exact.
	doubt string
	// lost is set when the calls are too ambiguous to go on.
	lost bool
}

func (v *verdict) violate(rule Rule, at int64, sentence string, calls ...*model.Call) {
	if v.violation == nil && !v.lost {
		v.violation = &Violation{Rule: rule, Calls: ids(calls), At: at, Sentence: sentence}
	}
}

func (v *verdict) doubts(why string) {
	if v.doubt == "" {
		v.doubt = why
	}
}

// gives gives up for the given reason.
func (v *verdict) gives(why string) {
	if !v.over() {
		v.doubt, v.lost = why, true
	}
}

// over reports whether no further call can change the result.
func (v *verdict) over() bool { return v.lost || v.violation != nil }

func (v *verdict) Result() Result {
	switch {
	case v.violation != nil:
		return Result{Status: model.Violated, Violation: v.violation}
	case v.doubt != "":
		return Result{Status: model.Undecided, Doubt: v.doubt}
	}
	return Result{Status: model.Holds}
}
