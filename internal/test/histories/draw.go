package histories

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

// Any generates histories of all sorts: a third of them are legal, a third
// nearly so, and a third arbitrary.
func Any(spec model.Spec, most int) *rapid.Generator[[]model.Call] {
	sorts := []*rapid.Generator[[]model.Call]{Legal(spec, most), Perturbed(spec, most), Arbitrary(spec, most)}
	return rapid.Custom(func(t *rapid.T) []model.Call { return oneOf(t, "sort", sorts).Draw(t, "calls") })
}

// Shared generates histories of owners for whom several clients act: those of [Any], in which each client is an owner, and
// each call is made by one of two clients. One may crash at the end.
func Shared(spec model.Spec, most int) *rapid.Generator[[]model.Call] {
	return rapid.Custom(func(t *rapid.T) []model.Call {
		calls := Any(spec, most).Draw(t, "calls")
		last := int64(1)
		for i := range calls {
			if c := &calls[i]; c.Op != model.Crash {
				c.Owner = c.Client
				c.Client = fmt.Sprintf("c%d", 1+pick(t, "client", 2))
			}
			last = max(last, calls[i].Call, calls[i].Return)
		}
		if rapid.Bool().Draw(t, "crash") {
			calls = append(calls, model.Call{
				ID: len(calls) + 1, Object: objectName, Op: model.Crash, Client: "c1", Outcome: model.Unknown,
				Call: between(t, "crashed", 1, last),
			})
		}
		return calls
	})
}

// Arbitrary generates histories in which every call is drawn independently.
func Arbitrary(spec model.Spec, most int) *rapid.Generator[[]model.Call] {
	return rapid.Custom(func(t *rapid.T) []model.Call {
		calls := make([]model.Call, pick(t, "calls", most+1))
		for i := range calls {
			calls[i] = arbitrary(t, spec, i+1, int64(2*len(calls)))
		}
		return calls
	})
}

// arbitrary draws a call that passes spec.Check, at events up to last.
func arbitrary(t *rapid.T, spec model.Spec, id int, last int64) model.Call {
	c := model.Call{
		ID: id, Object: objectName, Op: oneOf(t, "op", calledOps(spec.Kind)),
		Client:  fmt.Sprintf("c%d", 1+pick(t, "client", 3)),
		Outcome: model.Unknown,
		Call:    between(t, "call", 1, last),
	}
	if rarely(t, "mishap", 8) {
		c.Op = oneOf(t, "mishap", spec.Kind.Ops())
	}
	of := 0
	if id > 1 {
		of = 1 + pick(t, "of", id-1)
	}
	switch c.Op {
	case model.Crash:
		return c
	case model.Expire:
		if c.Of = of; of == 0 {
			c.Of = id + 1
		}
		return c
	}
	drawArguments(t, spec, &c)
	if !rarely(t, "unanswered", 4) {
		c.Return = c.Call + between(t, "lasts", 0, 4)
		c.Outcome = oneOf(t, "outcome", []model.Outcome{model.OK, model.OK, model.Failed})
	}
	switch {
	case spec.Kind == model.KindPermitSemaphore && (c.Op.Releases() || c.Op == model.Extend):
		c.Permit = fmt.Sprintf("p%d", 1+pick(t, "permit", id))
	case (c.Op.Releases() || c.Op == model.Extend) && of != 0 && rapid.Bool().Draw(t, "by hold"):
		c.Of = of
	}
	drawResults(t, spec, &c, last)
	return c
}

// drawResults draws the results of the call.
func drawResults(t *rapid.T, spec model.Spec, c *model.Call, last int64) {
	if c.Outcome == model.Failed {
		c.Refused = isAccess(spec.Kind) && rapid.Bool().Draw(t, "refused")
	}
	if spec.Kind == model.KindFair && c.Op == model.Acquire && !c.Try && c.Return != 0 && rapid.Bool().Draw(t, "queued") {
		c.Queued = between(t, "queued", c.Call, c.Return)
	}
	if c.Outcome != model.OK {
		return
	}
	leased := spec.Kind == model.KindLeased || spec.Kind == model.KindPermitSemaphore
	fenced := spec.Kind == model.KindFenced || spec.Kind == model.KindReentrantFenced
	if leased && (c.Op == model.Acquire || c.Op == model.Extend) {
		c.Until = between(t, "until", 0, last)
	}
	if spec.Kind == model.KindPermitSemaphore && c.Op == model.Acquire {
		c.Permit = fmt.Sprintf("p%d", 1+pick(t, "permit", c.ID))
	}
	if fenced && c.Op == model.Acquire && !rarely(t, "unfenced", 4) {
		c.Fenced, c.Token = true, between(t, "token", 0, 4)
	}
	if c.Op == model.Read || c.Op == model.Add || spec.Kind == model.KindBarrier {
		if c.Valued = !rarely(t, "unvalued", 4); c.Valued {
			c.Value = between(t, "value", 0, 3)
		}
	}
}

// Perturbed generates histories that are legal except for one to three changes: ends swapped, stamps moved, outcomes or
// results changed, a call left out.
func Perturbed(spec model.Spec, most int) *rapid.Generator[[]model.Call] {
	return rapid.Custom(func(t *rapid.T) []model.Call {
		calls := Legal(spec, most).Draw(t, "legal")
		for range 1 + pick(t, "changes", 3) {
			if len(calls) > 0 {
				calls = perturb(t, spec, calls)
			}
		}
		return calls
	})
}

// perturb makes one change, unless the result is one that no recorder could have written.
func perturb(t *rapid.T, spec model.Spec, calls []model.Call) []model.Call {
	changed := slices.Clone(calls)
	i := pick(t, "changed", len(calls))
	a, b := &changed[i], &changed[pick(t, "other", len(calls))]
	switch pick(t, "change", 9) {
	case 0:
		a.Return, b.Return = b.Return, a.Return
	case 1:
		a.Call, b.Call = b.Call, a.Call
	case 2:
		a.Call += between(t, "by", -4, 4)
	case 3:
		a.Return += between(t, "by", -4, 4)
	case 4:
		a.Outcome = oneOf(t, "outcome", []model.Outcome{model.OK, model.Failed, model.Unknown})
		a.Refused = a.Outcome == model.Failed && isAccess(spec.Kind)
	case 5:
		a.Try = !a.Try
		a.Queued, a.QueuedFrom = 0, 0
	case 6:
		a.Until, b.Until = b.Until, a.Until
		a.Token, b.Token = b.Token, a.Token
		a.Value, b.Value = b.Value, a.Value
		a.Of, b.Of = b.Of, a.Of
	case 7:
		a.Client = b.Client
	case 8: // those that named it name nothing that there is
		return slices.Delete(changed, i, i+1)
	}
	for j := range changed {
		if spec.Check(&changed[j]) != nil {
			return calls
		}
	}
	return changed
}
