package causes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Failure is one failure of a scenario: a violation that fails the
// test, or a run that did not finish.
type Failure struct {
	Scenario string
	// Trace is the trace of the violation, or of the tape of the run that did not finish, nil if there is no tape.
	Trace   *traces.Trace
	Trouble *explore.Trouble // nil for a violation
	// Note is a remark, Path the path of its kept case, if any, and Unsteady is set if it may not recur.
	Note, Path string
	Unsteady   bool
	// Kept is set for a case that was kept by an earlier search: the report keeps it.
	Kept bool
	// Reduced is set if it was shrunk.
	Reduced bool

	// causes are the causes of the failure: its own first, then those of the other
	// violations of the run.
	causes []cause
	// first is set if it is the first violation of its run.
	first bool
	// failing are the violations of the run, the first of the run first.
	failing []*model.Verdict
	// length is the number of steps up to the violation, 0 until used.
	length int
}

// cause is why a property, or a rule, is violated, or why a run did not finish. Two properties never have one cause, since
// a repair of one need not repair the other.
type cause struct {
	model.Violation
	why string // the cause of the verdict, empty if it names none
}

// causeOf returns the cause of a violation.
func causeOf(v *model.Verdict) cause { return cause{v.Violation(), v.Cause} }

// Fails reports whether a violation in a scenario fails the test.
type Fails func(scenario string, v model.Violation) bool

// Violates returns the failure of a trace's violation.
func Violates(t *traces.Trace, fails Fails) *Failure {
	own := cause{Violation: t.Violation()}
	if v := t.Verdict(); v != nil {
		own.why = v.Cause
	}
	failing := Failing(t, fails)
	f := &Failure{Scenario: t.Scenario, Trace: t, causes: []cause{own}, failing: failing}
	for _, v := range failing {
		f.causes = append(f.causes, causeOf(v))
	}
	f.causes = unique(f.causes)
	f.first = len(failing) == 0 || failing[0].Property == t.Property
	return f
}

// First returns the property that was violated first in the run; the failure is explained by it.
func (f *Failure) First() string {
	if len(f.failing) == 0 {
		return f.Trace.Property
	}
	return f.failing[0].Property
}

// Unfinished returns the failure of a run that did not finish. The trace is of its tape, nil if there is none.
func Unfinished(scenario string, t *traces.Trace, trouble *explore.Trouble) *Failure {
	return &Failure{Scenario: scenario, Trace: t, Trouble: trouble, causes: []cause{{why: causeOfTrouble(trouble)}}}
}

// causeOfTrouble names the cause of a run that did not finish. Panics differ by their values, not by the client.
func causeOfTrouble(t *explore.Trouble) string {
	words := []string{string(t.Kind), string(t.Cause)}
	switch {
	case t.Leaked:
		words = append(words, "leaked")
	case t.Kind == explore.Refused:
		words = append(words, t.Unsupported())
	case t.Kind == explore.Crashed:
		reason, _, _ := strings.Cut(t.Reason, "\n")
		if _, panicked, ok := strings.Cut(reason, "panic: "); ok {
			reason = panicked
		}
		words = append(words, reason)
	}
	return strings.Join(words, " ")
}

// Failing returns the verdicts of a trace that fail the test, in the order in which the properties were violated.
// Violations that only follow from others come last, and a false answer comes after two holders: two holders are worse
// than a wrong answer.
func Failing(t *traces.Trace, fails Fails) (list []*model.Verdict) {
	for i := range t.Verdicts {
		if v := &t.Verdicts[i]; v.Status == model.Violated && fails(t.Scenario, v.Violation()) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b *model.Verdict) int {
		return cmp.Or(
			cmp.Compare(consequence(t, a), consequence(t, b)),
			FalseFirst(isAnswer(a), isAnswer(b)),
			FalseFirst(!a.From.Happened(), !b.From.Happened()),
			cmp.Compare(a.From.Seq, b.From.Seq),
		)
	})
	return list
}

// consequence returns the rank of a violation among those that follow from others.
func consequence(t *traces.Trace, v *model.Verdict) int {
	n := t.Description(v.Property).Consequence
	if isAnswer(v) {
		n = max(n, 1) // as two holders
	}
	return n
}

// isAnswer reports whether a violation is that an answer contradicts the store.
func isAnswer(v *model.Verdict) bool { return v.Cause == model.Untrue }

// Representatives returns the violations of a trace's run that may represent its own: the first of all, and itself.
func Representatives(t *traces.Trace, fails Fails) (list []model.Violation) {
	for i, v := range Failing(t, fails) {
		if i == 0 || v.Violation() == t.Violation() {
			list = append(list, v.Violation())
		}
	}
	return list
}

// ShownBy reports whether any of the failures shows this one's own cause.
func (f *Failure) ShownBy(list []*Failure) bool {
	return slices.ContainsFunc(list, func(o *Failure) bool { return o.shows(f.causes[0]) })
}

// shows reports whether the failure's run shows a cause.
func (f *Failure) shows(c cause) bool { return slices.Contains(f.causes, c) }

// Simple reports whether the failure shows its causes so well that no other is shrunk for them: a kept case, or a single
// deviation that readers know.
func (f *Failure) Simple() bool {
	return f.Kept || f.Trouble == nil && f.Reduced && unusual(f.Trace) <= 1 && everyday(f.Trace)
}

// The reporting order: runs that did not finish, because their verdicts are unknown; faults; limits, if they fail; and
// failures that hide none of these: runs that were judged but left goroutines behind, and runs that differ.
const (
	troubleRank = iota
	faultRank
	limitRank
	lastRank
)

// Alone returns the failure with its own cause only.
func (f *Failure) Alone() *Failure {
	f.causes = f.causes[:1]
	return f
}

// For returns the failure with the cause of another one added: of the same violation, as it was before it was shrunk.
func (f *Failure) For(other *Failure) *Failure {
	f.causes = unique(append(f.causes, other.causes[0]))
	return f
}

// Heavy reports whether the failure is a limit that does damage: it represents the damage among the limits with its cause.
func (f *Failure) Heavy() bool {
	return f.Trace != nil && f.Trace.Limit && f.Trace.Description(f.Trace.Property).Consequence == model.Damage
}

func (f *Failure) rank() int {
	switch {
	case f.Trouble != nil && f.Trouble.HidesNothing():
		return lastRank
	case f.Trouble != nil:
		return troubleRank
	case !f.Trace.Limit:
		return faultRank
	}
	return limitRank
}

// tellable reports whether the failure is shrunk, or cannot be.
func (f *Failure) tellable() bool { return f.Reduced || f.Trouble != nil }

// simpler compares two failures of one rank: by how unusual they are, then by the order of their properties, and for one
// property by the number of steps.
func simpler(a, b *Failure) int {
	if n := plainer(a, b); n != 0 || !a.Reduced || !b.Reduced {
		return n
	}
	return cmp.Or(checker.Compare(a.Trace.Property, b.Trace.Property), cmp.Compare(a.steps(), b.steps()))
}

// plainer compares two failures of one rank by how unusual they are.
func plainer(a, b *Failure) int {
	if a.Trouble != nil || b.Trouble != nil {
		return 0 // the order of the scenarios decides
	}
	return Plainer(a.Trace, b.Trace)
}

// steps returns the number of steps up to the violation.
func (f *Failure) steps() int {
	if f.length == 0 {
		f.length = len(story.UntilViolated(story.Steps(f.Trace)))
	}
	return f.length
}

// FalseFirst compares two values for a sort that puts false before true.
func FalseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// unique returns a list without duplicates.
func unique[T comparable](list []T) (once []T) {
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}
