package checker

import (
	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// FairOrder is judged for locks that promise an order. It is violated when the lock is granted to one client while
// another, which the store saw join the queue earlier, is in it ([Options].Queue, [Options].Ownership). A client that was
// taken out of the queue, or whose place was lost in a failover or a restart, has lost its place. Not applicable without a
// queue, or if it stayed empty.
const FairOrder = "fair-order"

var fairOrder = Property{
	ID: FairOrder, Letter: "Q", Legend: "granted out of the order of its queue",
	About: "clients in the lock's queue get the lock in the order in which the store saw them join",
	Description: model.Description{
		Asks:   "The lock is granted in the order in which it was asked for.",
		Window: "overtaken",
	},
	Doc: "A lock that promises an order (`Queue` in its `cell.Reading`) gives nobody the lock while a client that came before waits " +
		"in its queue. Such locks are judged by it without naming it.",
	MayBeLimit: true, Promised: true,
	Verdict: func(j *Judge) model.Verdict { return fairOrderJudge{j}.verdict() },
}

// fairOrderJudge judges a history by fair-order.
type fairOrderJudge struct{ base *Judge }

// verdict goes by the order in which the store saw the names join the queue, and not by the order of the calls: an earlier
// call may arrive later. A client that was taken out of the queue without the lock gets a new place when it joins again.
func (j fairOrderJudge) verdict() model.Verdict {
	if j.base.o.Queue == "" || j.base.o.Ownership == nil {
		return notApplicable("The lock promises no order: no " + j.base.record() + " is known to be its queue.")
	}
	q := j.base.NewQueue()
	var found worst
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if first, bad := q.See(o); bad && found.add(j.passedOver(first, o)) {
			break
		}
	}
	if !q.Queued {
		return notApplicable("Nobody waited in the queue.")
	}
	return found.or(holds())
}

// passedOver returns the verdict on a lock that was granted to another client than the first in the queue.
func (j fairOrderJudge) passedOver(first holders.Place, o *model.Observation) model.Verdict {
	winner, loser := j.base.AcquisitionOf(o.By), j.base.AcquisitionOf(first.Since.By)
	sentence := j.base.ClientOf(o.By) + " got the lock, although " + j.base.ClientOf(first.Since.By) +
		" had waited in its queue for longer: " + forTime(o.At-first.Since.At) + "."
	cause, since := model.OutOfTurn, first.Since.Seq
	if x := j.base.h.Operation(winner); x != nil {
		since = min(since, x.Call.Seq)
	}
	if forgets := j.base.Forgetting(since, o.Seq); forgets != "" { // the queue, or who had left it
		cause = forgets
	} else if o.Place() != first.Since.Place() {
		cause = model.StoreForgot
	}
	return WithCause(violated(sentence, first.Since.Stamp, o.Stamp, []int{winner, loser}, []int64{first.Since.Seq, o.Seq}), cause)
}
