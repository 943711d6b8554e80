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
	return rapid.OneOf(Legal(spec, most), Perturbed(spec, most), Arbitrary(spec, most))
}

// Arbitrary generates histories of which every call is drawn by itself.
func Arbitrary(spec model.Spec, most int) *rapid.Generator[[]model.Call] {
	return rapid.Custom(func(t *rapid.T) []model.Call {
		calls := make([]model.Call, rapid.IntRange(0, most).Draw(t, "calls"))
		for i := range calls {
			calls[i] = arbitrary(t, spec, i+1, int64(2*len(calls)))
		}
		return calls
	})
}

// arbitrary draws a call that passes spec.Check, at events up to last.
func arbitrary(t *rapid.T, spec model.Spec, id int, last int64) model.Call {
	c := model.Call{
		ID: id, Object: objectName, Op: rapid.SampledFrom(spec.Kind.Ops()).Draw(t, "op"),
		Client:  fmt.Sprintf("c%d", rapid.IntRange(1, 3).Draw(t, "client")),
		Outcome: model.Unknown,
		Call:    rapid.Int64Range(1, last).Draw(t, "call"),
	}
	of := 0
	if id > 1 {
		of = rapid.IntRange(1, id-1).Draw(t, "of")
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
	if rapid.IntRange(0, 3).Draw(t, "answered") > 0 {
		c.Return = c.Call + rapid.Int64Range(0, 4).Draw(t, "lasts")
		c.Outcome = rapid.SampledFrom([]model.Outcome{model.OK, model.OK, model.Failed}).Draw(t, "outcome")
	}
	switch {
	case spec.Kind == model.KindPermitSemaphore && (gives(c.Op) || c.Op == model.Extend):
		c.Permit = fmt.Sprintf("p%d", rapid.IntRange(1, id).Draw(t, "permit"))
	case (gives(c.Op) || c.Op == model.Extend) && of != 0 && rapid.Bool().Draw(t, "by hold"):
		c.Of = of
	}
	drawResults(t, spec, &c, last)
	return c
}

// drawResults draws what the call was answered.
func drawResults(t *rapid.T, spec model.Spec, c *model.Call, last int64) {
	if c.Outcome == model.Failed {
		c.Refused = isAccess(spec.Kind) && rapid.Bool().Draw(t, "refused")
	}
	if spec.Kind == model.KindFair && c.Op == model.Acquire && !c.Try && c.Return != 0 && rapid.Bool().Draw(t, "queued") {
		c.Queued = rapid.Int64Range(c.Call, c.Return).Draw(t, "queued")
	}
	if c.Outcome != model.OK {
		return
	}
	leased := spec.Kind == model.KindLeased || spec.Kind == model.KindPermitSemaphore
	fenced := spec.Kind == model.KindFenced || spec.Kind == model.KindReentrantFenced
	if leased && (c.Op == model.Acquire || c.Op == model.Extend) {
		c.Until = rapid.Int64Range(0, last).Draw(t, "until")
	}
	if spec.Kind == model.KindPermitSemaphore && c.Op == model.Acquire {
		c.Permit = fmt.Sprintf("p%d", rapid.IntRange(1, c.ID).Draw(t, "permit"))
	}
	if fenced && c.Op == model.Acquire && rapid.IntRange(0, 3).Draw(t, "fenced") > 0 {
		c.Fenced, c.Token = true, rapid.Int64Range(0, 4).Draw(t, "token")
	}
	if c.Op == model.Read || c.Op == model.Add || spec.Kind == model.KindBarrier {
		if c.Valued = rapid.IntRange(0, 3).Draw(t, "valued") > 0; c.Valued {
			c.Value = rapid.Int64Range(0, 3).Draw(t, "value")
		}
	}
}

// Perturbed generates histories that are legal but for one or two changes:
// ends swapped, stamps moved, outcomes or results changed, a call left out.
func Perturbed(spec model.Spec, most int) *rapid.Generator[[]model.Call] {
	return rapid.Custom(func(t *rapid.T) []model.Call {
		calls := Legal(spec, most).Draw(t, "legal")
		for range rapid.IntRange(1, 2).Draw(t, "changes") {
			if len(calls) > 0 {
				calls = perturb(t, spec, calls)
			}
		}
		return calls
	})
}

// perturb makes one change; one that no recorder could have meant is not made.
func perturb(t *rapid.T, spec model.Spec, calls []model.Call) []model.Call {
	changed := slices.Clone(calls)
	i := rapid.IntRange(0, len(calls)-1).Draw(t, "changed")
	a, b := &changed[i], &changed[rapid.IntRange(0, len(calls)-1).Draw(t, "other")]
	switch rapid.IntRange(0, 8).Draw(t, "change") {
	case 0:
		a.Return, b.Return = b.Return, a.Return
	case 1:
		a.Call, b.Call = b.Call, a.Call
	case 2:
		a.Call += rapid.Int64Range(-4, 4).Draw(t, "by")
	case 3:
		a.Return += rapid.Int64Range(-4, 4).Draw(t, "by")
	case 4:
		a.Outcome = rapid.SampledFrom([]model.Outcome{model.OK, model.Failed, model.Unknown}).Draw(t, "outcome")
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
