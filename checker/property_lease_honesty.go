package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// LeaseHonesty is violated when, at some time during a claim that has an Until, and more than [Options].Drift before its
// end, the authority does not have the lock for it. While an authority is down it grants nothing; the records of its
// successor count. Not applicable without Until, or if the holder of the lock is unknown.
const LeaseHonesty = "lease-honesty"

var leaseHonesty = Property{
	ID: LeaseHonesty, Letter: "V", Legend: "a lease says that it is valid, but the store has no lock for it",
	About: "while a lease says that it is valid, the store has the lock for it",
	Description: model.Description{
		Asks:   "While a client believes that it holds the lock, the {serving} holds it for that client.",
		Window: "believed, but not true",
	},
	Doc: "As long as a lease says that it is valid, the store has the lock for it. A lease that counts its validity from the answer, and " +
		"not from before the request, claims time that the store never gave.",
	MayBeLimit: true, NeedsHolder: true,
	Verdict: func(j *Judge) model.Verdict { return leaseHonestyJudge{j}.verdict() },
}

// leaseHonestyJudge judges a history by lease-honesty.
type leaseHonestyJudge struct{ base *Judge }

// verdict judges each claim that has an Until.
func (j leaseHonestyJudge) verdict() model.Verdict {
	key, ok := j.base.LockRecord()
	switch {
	case !slices.ContainsFunc(j.base.Claims(), func(c model.Claim) bool { return c.Timed }):
		return notApplicable("No lease says until when it is valid.")
	case !ok:
		return j.base.notSingle()
	case !j.base.EverStored():
		return j.base.noneStored()
	}
	var found worst
	before := j.base.NewServing(key)
	next := 0
	for i := range j.base.Claims() {
		c := &j.base.Claims()[i]
		if !c.Timed || !c.Stands(c.Start) {
			continue
		}
		for next < len(j.base.h.Observations) && j.base.h.Observations[next].Seq < c.Start.Seq {
			before.See(&j.base.h.Observations[next])
			next++
		}
		if v, bad := j.dishonest(c, before.Fork(), next); bad && found.add(v) {
			break
		}
	}
	return found.or(holds())
}

// dishonest looks for a place in the claim at which the store does not have the lock for it. next is the number of the
// first observation that at has not seen.
func (j leaseHonestyJudge) dishonest(c *model.Claim, at holders.Serving, next int) (model.Verdict, bool) {
	end, key := j.base.ClaimEnd(c), at.Key
	check := func(s model.Stamp) bool {
		return c.Stands(s) && end.At-s.At > j.base.o.Drift && !at.Down && !at.Has(c.Acquire, s.Seq)
	}
	for i := next; i < len(j.base.h.Observations); i++ {
		o := &j.base.h.Observations[i]
		if o.Seq > c.Start.Seq && at.Seen < c.Start.Seq && check(c.Start) {
			return j.dishonestAt(c, key, c.Start, end), true
		}
		if o.Seq > end.Seq {
			return model.Verdict{}, false
		}
		at.See(o)
		if check(o.Stamp) {
			return j.dishonestAt(c, key, o.Stamp, end), true
		}
	}
	if at.Seen < c.Start.Seq && check(c.Start) {
		return j.dishonestAt(c, key, c.Start, end), true
	}
	return model.Verdict{}, false
}

func (j leaseHonestyJudge) dishonestAt(c *model.Claim, key string, from, end model.Stamp) model.Verdict {
	sentence := j.base.who(c.Acquire) + "'s lease claimed to be valid " + forTime(end.At-from.At) + " longer than the store had the lock for it"
	if from == c.Start {
		sentence = j.base.who(c.Acquire) + "'s lease claimed to be valid " + forTime(end.At-from.At) + ", but the store did not have the lock for it"
	}
	why := j.base.whyLost(c.Acquire, key, from.Seq)
	if key == "" {
		why = j.base.whyShareLost(c.Acquire, from.Seq)
	}
	return WithCause(violated(because(sentence, why), from, end, append(why.ops, c.Acquire.ID), append(why.seqs, j.at(from.Seq))),
		j.causeOfDishonesty(c, key, from, end))
}

// causeOfDishonesty returns why the store does not have the lock for an active claim. The store may have forgotten the
// lock, and the claim may also last longer than was granted.
func (j leaseHonestyJudge) causeOfDishonesty(c *model.Claim, key string, from, end model.Stamp) string {
	cause := j.base.CauseNotHeld(c, from)
	if cause == "" {
		return model.NotEstablished
	}
	parts := j.base.Parts(c.Acquire, key, end)
	granted, ever := j.base.Together(parts, endings.AsGranted)
	if model.CauseOf(cause).Limit && ever && end.At > granted+j.base.o.Drift+j.base.ClockError(c.Acquire.Client, c.Acquire.Call.At, end) {
		return model.ClaimedLonger
	}
	return cause
}

// at returns seq if an observation has that number, else 0.
func (j leaseHonestyJudge) at(seq int64) int64 {
	for i := range j.base.h.Observations {
		if j.base.h.Observations[i].Seq == seq {
			return seq
		}
	}
	return 0
}
