package checker

import (
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// Linearizable is violated when there is no order of the Acquires and Releases,
// compatible with the order of events, in which a mutex could have given these
// answers. The mutex is [objects.MutexModel], or [objects.FencedMutexModel] if
// leases carry tokens. A failed Acquire constrains nothing, a Release ends its own
// hold and no other, and ErrNotHeld and a second Release are always legal. The
// crash of a holder adds a release that may happen at any time from then on. Not
// applicable if no Acquire succeeded, and to leases that can end by themselves
// (Until, Lost): the plain mutex does not describe them.
//
// The oracle is porcupine (github.com/anishathalye/porcupine). Histories as the
// simulator records them are decided by a monitor that needs one pass and is
// proven, and tested, to give the same answer; porcupine's search decides the
// others, within a number of steps ([Options].SearchSteps).
const Linearizable = "linearizable"

var linearizable = Property{
	ID: Linearizable, Letter: "L", Legend: "no order of the operations fits a mutex",
	About: "some order of the operations is possible with a correct mutex",
	Description: model.Description{
		Asks:   "What the clients were told fits some order of their calls that a lock allows.",
		Window: "no order explains this",
		Breaks: model.AtClaim, Consequence: 2,
	},
	Doc: "A correct mutex could have given these answers to these calls, in some order. The property covers what `mutual-exclusion` " +
		"covers, and wrong answers as well. Locks whose leases end by themselves are not held to the plain mutex.",
	MayBeLimit: true, ImpliedBy: []string{MutualExclusion, Fencing},
	Verdict: func(j *Judge) model.Verdict { return linearizableJudge{j}.verdict() },
}

// linearizableJudge judges a history by linearizable.
type linearizableJudge struct{ base *Judge }

// verdict lets the monitor decide well-formed histories, exactly and in one pass
// (see package monitor). Porcupine decides the others; the monitor is tested against it.
func (j linearizableJudge) verdict() model.Verdict {
	if !holders.IsMutex(j.base.o.Spec.Kind) {
		return calls(j).verdict()
	}
	if len(j.base.Claims()) == 0 {
		return notApplicable(noneAcquired)
	}
	fenced := false
	for i := range j.base.Claims() {
		op := j.base.Claims()[i].Acquire
		if op.Leased || op.Notifies {
			return notApplicable("Leases that can end by themselves (Until, Lost) are not held to the plain mutex.")
		}
		fenced = fenced || op.Fenced
	}
	a, b, exact := j.monitor()
	switch {
	case exact && b == nil:
		return holds()
	case exact:
		return j.worstOrder(a, b)
	}
	m := objects.MutexModel()
	if fenced {
		m = objects.FencedMutexModel()
	}
	return j.search(m, a, b)
}

// monitor looks for two holds that no order of the operations can reconcile,
// and reports whether its answer is exact.
//
// A hold is definite from the return of its Acquire to the call of its first Release, or to the holder's crash, whichever
// is first. Linearizing the Acquire at its return and the release at its call makes every hold as short as it can be, and
// an order exists if and only if one exists for these definite holds:
//
//   - Definite holds must be disjoint, since no order makes a hold shorter.
//   - Disjoint holds have one possible order, that of the history: putting a
//     later one first would release it before its release was called. In that
//     order tokens must grow.
//   - Nothing else constrains. An Acquire that failed changes nothing. An Acquire
//     of unknown outcome, and a second Release, can always be placed where they
//     have no effect.
//
// The history is well formed, and the answer exact, if no two successful Acquires return in one event and each comes
// before the end of its hold. Recorded histories are; only invented ones may not be.
func (j linearizableJudge) monitor() (a, b *model.Claim, exact bool) {
	exact = true
	var last *model.Claim // with a token
	for i := range j.base.Claims() {
		c := &j.base.Claims()[i]
		if c.Stop.Happened() && c.Stop.Seq <= c.Start.Seq {
			exact = false
		}
		if i > 0 {
			before := &j.base.Claims()[i-1]
			exact = exact && before.Start.Seq < c.Start.Seq
			if b == nil && (!before.Stop.Happened() || before.Stop.Seq > c.Start.Seq) {
				a, b = before, c
			}
		}
		if !c.Acquire.Fenced {
			continue
		}
		if b == nil && last != nil && c.Acquire.Token <= last.Acquire.Token {
			a, b = last, c
		}
		last = c
	}
	return a, b, exact
}

// noOrder returns the verdict on two holds that cannot be reconciled.
func (j linearizableJudge) noOrder(a, b *model.Claim) model.Verdict {
	if a.Stop.Happened() && a.Stop.Seq <= b.Start.Seq {
		sentence := j.base.who(b.Acquire) + " held the lock with token " + number(b.Acquire.Token) +
			" after " + j.base.whoElse(a.Acquire, b.Acquire) + " had held it with token " + number(a.Acquire.Token)
		why := j.base.whyToken(a.Acquire, b.Acquire)
		return WithCause(violated(because(sentence, why), a.Start, b.Start, append(why.ops, a.Acquire.ID, b.Acquire.ID), why.seqs), j.base.CauseOfToken(a.Acquire, b.Acquire))
	}
	sentence := j.base.who(b.Acquire) + " acquired the lock while " + j.base.who(a.Acquire) + " held it and had not begun to release it"
	if holders.SameThread(a.Acquire, b.Acquire) {
		sentence = j.base.who(b.Acquire) + " acquired the lock again while it held it and had not begun to release it"
	}
	why := j.base.whyBoth(a.Acquire, b.Acquire)
	return WithCause(violated(because(sentence, why), b.Start, holders.Earlier(j.base.ClaimEnd(a), j.base.ClaimEnd(b)),
		append(why.ops, a.Acquire.ID, b.Acquire.ID, j.base.Released(a.Acquire.ID), j.base.Released(b.Acquire.ID)),
		why.seqs), j.base.CauseOfOverlap(a, b, b.Start))
}

// worstOrder returns the verdict on the two holds that the monitor found, or on the first irreconcilable pair whose cause
// is worse.
func (j linearizableJudge) worstOrder(a, b *model.Claim) model.Verdict {
	var found worst
	if found.add(j.noOrder(a, b)) {
		return found.verdict
	}
	var last *model.Claim
	for i := range j.base.Claims() {
		c := &j.base.Claims()[i]
		if i > 0 {
			if before := &j.base.Claims()[i-1]; !before.Stop.Happened() || before.Stop.Seq > c.Start.Seq {
				found.add(j.noOrder(before, c))
			}
		}
		if c.Acquire.Fenced {
			if last != nil && c.Acquire.Token <= last.Acquire.Token {
				found.add(j.noOrder(last, c))
			}
			last = c
		}
	}
	return found.verdict
}

// search asks porcupine. If the monitor has found a pair, the verdict names its operations.
func (j linearizableJudge) search(m porcupine.Model, a, b *model.Claim) model.Verdict {
	ops := slices.DeleteFunc(objects.LockOperations(j.base.h), unconstraining)
	m, exhausted := monitor.Limit(m, j.base.o.SearchSteps)
	result, info := porcupine.CheckOperationsVerbose(m, ops, 0)
	switch {
	case result == porcupine.Ok:
		return holds()
	case exhausted():
		return undecided("The search for an order of the operations did not end within " + number(int64(j.base.o.SearchSteps)) + " steps.")
	case b != nil:
		return j.worstOrder(a, b)
	}
	return j.stuck(ops, longest(info.PartialLinearizations()))
}

// unconstraining reports whether the operation can be left out of the search.
// A failed Acquire is legal anywhere and changes nothing; one of unknown
// outcome can always be put last. Left in, each would double the search.
func unconstraining(op porcupine.Operation) bool {
	return op.Input.(objects.LockInput).Kind == model.Acquire &&
		op.Output.(objects.LockOutput).Result != model.OK
}

// longest returns the longest of the partial linearizations, and of those the
// first in lexical order: porcupine gives them in no fixed order.
func longest(partitions [][][]int) []int {
	var best []int
	for _, partials := range partitions {
		for _, p := range partials {
			if len(p) > len(best) || len(p) == len(best) && slices.Compare(p, best) < 0 {
				best = p
			}
		}
	}
	return best
}

// stuck returns the verdict if the search got no further than the given order. It names the successful Acquire that the
// search could not place, the first to have returned, and the one that it placed last.
func (j linearizableJudge) stuck(ops []porcupine.Operation, order []int) model.Verdict {
	var held, blocked *model.Operation
	for _, i := range order {
		if op := j.base.h.Operation(ops[i].Metadata.(int)); op.Kind == model.Acquire {
			held = op
		}
	}
	for i := range ops {
		op := j.base.h.Operation(ops[i].Metadata.(int))
		if holders.Acquired(op) && ops[i].Input.(objects.LockInput).Kind == model.Acquire && !slices.Contains(order, i) &&
			(blocked == nil || op.Return.Seq < blocked.Return.Seq) {
			blocked = op
		}
	}
	if held == nil || blocked == nil { // not to be expected: it takes two
		var all []int
		for i := range j.base.Claims() {
			all = append(all, j.base.Claims()[i].Acquire.ID)
		}
		return WithCause(violated("No order of the operations explains their answers.", j.base.Claims()[0].Start, j.base.h.End, all, nil), model.NotEstablished)
	}
	return WithCause(violated("No order of the operations explains "+j.base.deed(blocked)+" after "+j.base.deed(held)+".",
		blocked.Call, blocked.Return, []int{held.ID, blocked.ID}, nil), model.NotEstablished)
}
