package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Check judges the named properties, or all usual ones ([Property.Usual]) if no name is given. It returns one verdict for
// each, in the order of [Properties] and then of [Options].Added. A name that no property has gets an Undecided verdict at
// the end, so that a misspelt name never passes for a property that holds.
//
// An added property that panics, or returns an improper verdict, is Undecided with the cause [model.Panicked] and the
// reason as its sentence. The others are judged all the same.
//
// The history is not changed. Equal histories get equal verdicts.
func Check(h *model.History, o Options, names ...string) []model.Verdict {
	if o.SearchSteps == 0 {
		o.SearchSteps = defaultSearchSteps
	}
	if o.CancelBound == 0 {
		o.CancelBound = defaultCancelBound
	}
	j := newJudge(h, o)
	verdicts := make([]model.Verdict, 0, max(len(names), len(builtin)))
	for _, p := range builtin {
		if len(names) == 0 && p.Usual() || slices.Contains(names, p.ID) {
			j.behind = nil
			verdicts = append(verdicts, j.established(j.verdict(p)))
		}
	}
	for i := range o.Added {
		if p := &o.Added[i]; len(names) == 0 || slices.Contains(names, p.ID) {
			verdicts = append(verdicts, j.addedVerdict(p))
		}
	}
	for i, name := range names {
		known := Known(name) || slices.ContainsFunc(o.Added, func(p Property) bool { return p.ID == name })
		if !known && !slices.Contains(names[:i], name) {
			verdicts = append(verdicts, model.Verdict{
				Property: name,
				Status:   model.Undecided,
				Sentence: "There is no property of this name.",
			})
		}
	}
	return verdicts
}

// verdict judges one property.
func (j *Judge) verdict(p *Property) model.Verdict {
	v := p.Verdict(j)
	if p.NeedsHolder && j.Unreadable() != nil {
		v = undecided("Who has the lock could not be read: " + j.Unreadable().Error() + ".")
	}
	if p.NeedsHolder && v.Status == model.Holds && j.Unsettled() {
		v = notApplicable("A request has written another's name into the lock, and it is not known whose that is.")
	}
	v.Property = p.ID
	return j.unlessRefused(v)
}

// unlessRefused returns the verdict, with another cause if it is due to a request that a node refused because its keys are
// in several parts.
func (j *Judge) unlessRefused(v model.Verdict) model.Verdict {
	switch v.Cause {
	case model.NotServed, model.LeftBehind, model.NotWoken, model.Spins, model.NotEstablished:
		if v.Status == model.Violated && j.RefusedScattered(v.Operations) {
			return WithCause(v, model.WrongShard)
		}
	}
	return v
}

// established returns the verdict. A limit becomes a fault without a known cause if the history does not show, by the end
// of the violation, the evidence that the limit needs.
func (j *Judge) established(v model.Verdict) model.Verdict {
	if v.Status == model.Violated && v.Limit && j.RestsOn(v.Cause, slices.Concat(v.Operations, j.behind), v.To.Seq) == nil {
		return WithCause(v, model.NotEstablished)
	}
	return v
}
