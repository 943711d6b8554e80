package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/model"
)

// TimelyLoss is violated when a lease has ended as last granted, and its holder's claim goes on for longer than a tenth of
// the lease (at least 10 ms) of the running time of its process. It concerns leases without Until that signal their loss
// (Lost) or renew themselves: the store has seen a renewal without a call, or the record lives with a session that is kept
// alive. A session that is a connection is not kept alive: if the network broke it, a lease without Lost promised nothing,
// and a client that holds on is judged by the other properties alone. A lost renewal is no excuse, since the clock shows
// that the lease is over. A violation is always the lock's fault; if the lease was granted before the wait and never
// renewed, that is the cause. Not applicable without such a lease, or if the holder of the lock is unknown.
const TimelyLoss = "timely-loss"

var timelyLoss = Property{
	ID: TimelyLoss, Letter: "N", Legend: "the loss of a lease is reported late, or never",
	About: "the holder of a lease that renews itself, or signals its loss, is told soon after the lease has ended",
	Description: model.Description{
		Asks:   "The holder of a lease that renews itself, or signals its loss, learns soon of its end.",
		Window: "ended, yet its holder does not know",
	},
	Doc: "A client whose lease renews itself, or tells of its loss (`Lost`), is told soon after the lease has ended: within a tenth of the " +
		"lease, counted while its process runs. A renewal that does not return says nothing, but the clock does. Leases with an `Until` " +
		"are not judged: their holders knew their end before. Neither is a lease without `Lost` that lived with a connection, such as a `GET_LOCK`, " +
		"which the network broke: a holder who sends nothing on it cannot know. If there are two holders then, the lock is at fault " +
		"nevertheless. Ask on the connection, and signal the loss.",
	NeedsHolder: true,
	Verdict:     func(j *Judge) model.Verdict { return timelyLossJudge{j}.verdict() },
}

// timelyLossJudge judges a history by timely-loss.
type timelyLossJudge struct{ base *Judge }

// verdict counts from the end of the lease as granted, and not from when the store forgot the lock or another client
// removed it: only the former is known to a client that looks at its clock and at the answers to its renewals.
func (j timelyLossJudge) verdict() model.Verdict {
	key, ok := j.base.LockRecord()
	switch {
	case !ok, j.base.Several() && j.base.o.Ownership == nil:
		return j.base.notSingle()
	case !j.base.EverStored():
		return j.base.noneStored()
	}
	looked := false
	for i := range j.base.Claims() {
		c := &j.base.Claims()[i]
		if !j.base.SignalsLoss(c.Acquire) {
			continue
		}
		looked = true
		end := j.base.ClaimEnd(c)
		if j.base.HeldAt(c.Acquire, key, end) {
			continue
		}
		parts := j.base.Parts(c.Acquire, key, end)
		ended, ever := j.base.Together(parts, endings.AsGranted)
		if !ever || ended >= end.At || endings.EndedBy(parts, endings.Unclear) != nil || !j.base.OwesSignal(c.Acquire, parts, ended) {
			continue
		}
		if late := j.base.UnawareFor(c, parts, ended); late > j.base.LossBound()+j.base.ClockError(c.Acquire.Client, c.Acquire.Call.At, end) {
			used := j.base.UsedUpOf(c.Acquire, parts, ended)
			return WithCause(j.unreported(c, key, j.base.StampAt(max(ended, c.Start.At)), end, used), j.base.UnlessUsedUp(model.NotTold, c.Acquire, parts, ended))
		}
	}
	if !looked {
		return notApplicable("No lease signals its loss, or renews itself, without telling its end.")
	}
	return holds()
}

func (j timelyLossJudge) unreported(c *model.Claim, key string, from, end model.Stamp, used time.Duration) model.Verdict {
	x := c.Acquire
	sentence := j.base.who(x) + " held on " + forTime(end.At-from.At) + " after its lease" + spent(used) + " had ended, and nothing told it"
	if x.Lost.Happened() && x.Lost.Seq <= end.Seq {
		sentence = j.base.who(x) + " was told that its lease was lost " + forTime(end.At - from.At)[len("for "):] + " after it had ended"
	}
	why := j.base.whyLost(x, key, end.Seq)
	return violated(because(sentence, why), from, end, append(why.ops, x.ID, j.base.Released(x.ID)), why.seqs)
}
