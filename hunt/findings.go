package hunt

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// reduced is a violation of the current schedule, shrunk or not.
type reduced struct {
	*Finding
	small     *explore.Shrunk // nil if it was not shrunk
	delivered bool
}

// found handles a finding of the search. Of its schedule's violations the one that shows its cause best is reported,
// unless an earlier one shows that cause. Reported findings are shrunk, and with Shown all are.
func (r *running) found(f explore.Finding) {
	v := f.Violation()
	if r.shrunk == nil || f.Schedule != r.schedule {
		r.deliverRest()
		if r.shrunk != nil {
			r.n++
		}
		r.schedule, r.shrunk = f.Schedule, map[model.Violation]*reduced{}
	}
	if _, there := r.in[v]; !there {
		r.in[v] = f.Schedule
	}
	switch {
	case f.Differs != nil:
		// A tape whose runs differ cannot be shrunk: whether a smaller one still violates the property would not depend on the
		// tape alone.
		r.shrunk[v] = r.asFound(f)
		r.shrunk[v].Unsteady, r.shrunk[v].Notes = true, []string{"it may not recur: " + f.Differs.Reason}
	case r.NoShrink:
		r.shrunk[v] = r.asFound(f)
	default:
		r.report(f)
		if r.Shown {
			r.reduce(f, v)
		} else if r.shrunk[v] == nil {
			r.shrunk[v] = r.asFound(f)
		}
	}
	r.deliver(r.shrunk[v])
}

// asFound returns a finding without shrinking it.
func (r *running) asFound(f explore.Finding) *reduced {
	t := r.traceOf(f)
	return &reduced{Finding: &Finding{Trace: t, asFound: t}}
}

// deliver passes a finding to OnFinding.
func (r *running) deliver(one *reduced) {
	if one.delivered {
		return
	}
	one.delivered = true
	r.result.Findings = append(r.result.Findings, one.Finding)
	if r.OnFinding != nil {
		r.OnFinding(one.Finding)
	}
}

// deliverRest delivers a reported violation of the current schedule that was not a finding of the search, which had ended
// before.
func (r *running) deliverRest() {
	for _, f := range r.result.Reported {
		for _, one := range r.shrunk { // unordered: one of them is the finding
			if one.Finding == f {
				r.deliver(one)
			}
		}
	}
}

// report shrinks the violations that represent the cause of a finding: the first of the run and, if its shrunk form does
// not show the cause, the finding itself. A limit that does damage represents its own cause: a user whose lock has only
// limits wants to know their cost, and what prevents it.
func (r *running) report(f explore.Finding) {
	if r.Reports == nil || !r.Reports(f.Violation()) {
		return
	}
	fails := func(_ string, v model.Violation) bool { return v.Limit == f.Limit && r.Reports(v) }
	t := r.traceOf(f)
	found := causes.Violates(t, fails)
	list := causes.Representatives(t, fails)
	if found.Heavy() {
		list = []model.Violation{f.Violation()}
	}
	for _, v := range list {
		if found.ShownBy(r.showing(found)) || r.Covered != nil && r.Covered(found) {
			return
		}
		if !r.here(v) {
			continue
		}
		one := r.reduce(f, v)
		r.result.Reported = append(r.result.Reported, one.Finding)
		r.reported = append(r.reported, one.reported(r.Reports))
	}
}

// showing returns the reported failures that may show another one's cause: those of its own run, and those so simple that
// no other run would be simpler. Only a limit that does damage shows the cause of another such limit.
func (r *running) showing(f *causes.Failure) []*causes.Failure {
	return slices.DeleteFunc(slices.Clone(r.reported), func(o *causes.Failure) bool {
		return f.Heavy() && !o.Heavy() || o.Trace.Schedule != f.Trace.Schedule && !o.Simple()
	})
}

// here reports whether no earlier schedule showed the violation.
func (r *running) here(v model.Violation) bool {
	in, there := r.in[v]
	return !there || in == r.schedule
}

// reduce shrinks a violation of a finding's schedule, once. Those of a class other than the first of the run start from
// the shrunk form of that first one, if it shows them: so the result does not depend on whether the others are shrunk.
func (r *running) reduce(f explore.Finding, v model.Violation) *reduced {
	if one := r.shrunk[v]; one != nil {
		return one
	}
	f.Property, f.Limit = v.Property, v.Limit
	t := r.traceOf(f)
	var base *explore.Shrunk
	all := causes.Failing(t, func(_ string, o model.Violation) bool { return o.Limit == v.Limit && r.here(o) })
	if len(all) > 0 && all[0].Violation() != v {
		base = r.reduce(f, all[0].Violation()).small
	}
	if r.allowance == nil {
		a := explore.NewAllowance(f.Outcome.Events, r.planned())
		r.allowance = &a
	}
	if r.OnReduce != nil {
		defer r.OnReduce()()
	}
	one := r.asFound(f)
	if r.ShrinkBudget != nil {
		r.Reducer.Time = r.ShrinkBudget()
	}
	got := r.Reducer.Reduce(r.ctx, r.Cell, t, f, base, r.allowance.Share(r.n, f.Limit))
	one.Trace, one.small = got.Trace, got.small
	if got.NotShrunk != nil {
		one.Notes = append(one.Notes, "not shrunk: "+why(got.NotShrunk))
	}
	if got.Cut {
		one.Notes = append(one.Notes, "the time for shrinking ended before everything was tried: a smaller counterexample may be near it")
	}
	if got.NeedsUnknown != nil {
		one.Notes = append(one.Notes, "what it needs is unknown: "+why(got.NeedsUnknown))
	}
	r.shrunk[v] = one
	return one
}

// planned returns the number of schedules of the search, as far as it is known beforehand. If the search ends with its
// first finding, it is the number until then.
func (r *running) planned() int {
	switch {
	case r.FailFast:
		return r.schedule + 1
	case r.Strategy == "":
		return 0
	}
	return r.Schedules
}

// traceOf returns the trace of a finding before it is shrunk.
func (r *running) traceOf(f explore.Finding) *traces.Trace {
	t := r.Cell.Trace(r.Seed, f.Schedule, f.Property, f.Outcome)
	t.Strategy, t.Test = r.Strategy, r.Test
	return t
}

// Failure returns the finding with its cause: the violations of the run that are reported and of the finding's own class,
// fault or limit. The cause is that of the run as found, even if the finding was shrunk.
func (f *Finding) Failure(reports func(model.Violation) bool) *causes.Failure {
	one := f.violates(f.asFound, reports)
	one.Trace = f.Trace
	return one.Alone()
}

// reported returns the failure of a finding that represents its cause.
func (f *Finding) reported(reports func(model.Violation) bool) *causes.Failure {
	one := f.violates(f.Trace, reports)
	one.Reduced = true
	return one.For(f.Failure(reports))
}

func (f *Finding) violates(t *traces.Trace, reports func(model.Violation) bool) *causes.Failure {
	one := causes.Violates(t, func(_ string, v model.Violation) bool { return v.Limit == t.Limit && (reports == nil || reports(v)) })
	one.Unsteady, one.Note = f.Unsteady, strings.Join(f.Notes, "; ")
	return one
}

// Failures returns the reported findings with their causes. Those that represent their causes
// come first. The list does not depend on which other findings were shrunk.
func (r *Result) Failures(reports func(model.Violation) bool) (list []*causes.Failure) {
	for _, f := range r.Reported {
		list = append(list, f.reported(reports))
	}
	for _, f := range r.Findings {
		if !slices.Contains(r.Reported, f) && reports(f.Trace.Violation()) {
			list = append(list, f.Failure(reports))
		}
	}
	return list
}

// why returns the text of an error, shortened.
func why(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "interrupted"
	}
	return err.Error()
}
