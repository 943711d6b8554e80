package confirm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// Effort is the number of tries and their limits. [Usual] is the default of commands.
type Effort struct {
	// Tries is the number of real runs, at least 1, and Need the number of them in which the violation must happen, from 1 to
	// Tries.
	Tries, Need int
	// Limit refuses a trace whose violation comes later: runs take as long as in the trace.
	Limit time.Duration
}

// Usual is the effort of commands without flags.
var Usual = Effort{Tries: 20, Need: 1, Limit: time.Minute}

// MostTries is the maximum number of tries.
const MostTries = 1000

// Result is the result of tries.
type Result string

// The results.
const (
	Confirmed    Result = "confirmed"
	NotConfirmed Result = "not confirmed" // it did not happen in so many of them
	NotForced    Result = "cannot be forced"
)

// ErrProgram is why a trace of a program is not confirmed.
var ErrProgram = errors.New("it is of a program, which runs its Main in place of calls of a lock: only counterexamples of locks are confirmed on real servers")

// Outcome is the result of some tries, with its reasons.
type Outcome struct {
	Result Result `json:"result"`
	Reason string `json:"reason,omitempty"` // why it cannot be forced
	Server string `json:"server,omitempty"`
	// Of is the number of tries, 0 if it cannot be forced, and Confirmed the number of those with the violation.
	Of        int     `json:"of"`
	Confirmed int     `json:"confirmed"`
	Mean      float64 `json:"meanSeconds,omitempty"` // of a try
	// Diverged are the reasons for which tries left the trace's order, and OtherCauses the other verdicts, each with its
	// number.
	Diverged    map[string]int `json:"diverged,omitempty"`
	OtherCauses map[string]int `json:"otherCauses,omitempty"`
	// Left describes what was left out: it cannot be forced and the violation does not need it.
	Left []string `json:"leftOut,omitempty"`
	took time.Duration
	// Real is the first try with the violation, or else the last one, as a trace ([Confirmation.Real]).
	Real *traces.Trace `json:"-"`
}

// Forcible returns a *[ForceError] if the trace's order cannot be forced, or its violation comes later than the limit.
func (c Confirmation) Forcible(limit time.Duration) error {
	if c.Subject.Facts().Program {
		return &ForceError{ErrProgram.Error()}
	}
	if c.Store == nil {
		return cannot("real servers of %s are not supported yet", c.Trace.Store)
	}
	takes, err := c.Plan()
	if err == nil && takes > limit {
		err = cannot("the violation comes after %s, and the limit is %s", traces.Briefly(takes), traces.Briefly(limit))
	}
	return err
}

// Run makes tries. An error is why there are none, or no more; the outcome then has the earlier tries. A trace that cannot
// be forced is not an error.
func (c Confirmation) Run(ctx context.Context, e Effort) (*Outcome, error) {
	o := &Outcome{Diverged: map[string]int{}, OtherCauses: map[string]int{}}
	err := c.Forcible(e.Limit)
	for o.Of < e.Tries && err == nil {
		var t *Try
		if t, err = c.Try(ctx); err == nil {
			o.add(t)
			if !t.Confirmed && o.Confirmed == 0 || t.Confirmed && o.Confirmed == 1 {
				o.Real = c.Real(t, o.Of)
			}
		}
	}
	var forced *ForceError
	switch {
	case errors.As(err, &forced):
		return &Outcome{Result: NotForced, Reason: forced.Reason}, nil
	case err != nil && o.Of > 0:
		return o, fmt.Errorf("after %s, of which %d confirmed it: %w", tries(o.Of), o.Confirmed, err)
	case err != nil:
		return o, err
	}
	o.Mean = (o.took / time.Duration(o.Of)).Seconds()
	o.Result = NotConfirmed
	if o.Confirmed >= e.Need {
		o.Result = Confirmed
	}
	return o, nil
}

// add counts a try.
func (o *Outcome) add(t *Try) {
	o.Server, o.Left = t.Server, t.Left
	o.took += t.Took
	o.Of++
	switch {
	case t.Confirmed:
		o.Confirmed++
	case t.Diverged != nil:
		o.Diverged[t.Diverged.Error()]++
	default:
		o.OtherCauses[t.Other]++
	}
}

// Statement is an outcome with its trace, lock and property, as commands print it in JSON.
type Statement struct {
	Type     string `json:"type"`
	Trace    string `json:"trace"` // the path
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
	Cause    string `json:"cause"`
	Client   string `json:"client"` // the client libraries and their versions
	*Outcome
}

// Statement returns the outcome with its trace. Path is that of the trace.
func (c Confirmation) Statement(path string, o *Outcome) Statement {
	r := Statement{Type: "confirmation", Trace: path, Scenario: c.Trace.Scenario, Lock: c.Subject.Facts().Lock, Property: c.Trace.Property, Limit: c.Trace.Limit, Client: c.clients(), Outcome: o}
	if v := c.Trace.Verdict(); v != nil {
		r.Cause = v.Cause
	}
	return r
}

// Print writes the outcome as text, for a lock's violation in a trace.
func (o *Outcome) Print(w io.Writer, t *traces.Trace, lock string) {
	class, cause := "", ""
	if t.Limit {
		class = ", a limit of leases"
	}
	if v := t.Verdict(); v != nil {
		cause = v.Cause
	}
	fmt.Fprintf(w, "%-17s %s (%s%s) of %s under %s", o.Result, wording.Printable(t.Property), wording.Printable(cause), class, wording.Printable(lock), wording.Printable(t.Scenario))
	if o.Result == NotForced {
		fmt.Fprintf(w, ": %s\n", wording.Printable(o.Reason))
		return
	}
	fmt.Fprintf(w, " on %s: %d of %s, %.1fs each\n", o.Server, o.Confirmed, tries(o.Of), o.Mean)
	for _, what := range o.Left {
		fmt.Fprintf(w, "  left out, since the violation does not need it: %s\n", wording.Printable(what))
	}
	for _, list := range []map[string]int{o.Diverged, o.OtherCauses} {
		for _, reason := range slices.Sorted(maps.Keys(list)) {
			fmt.Fprintf(w, "  %d times: %s\n", list[reason], wording.Printable(strings.TrimSpace(reason)))
		}
	}
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}
