package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// BoundedWakeup is violated when a release removed the key while an Acquire waited for it, the lock was then free for
// longer than [Options].WakeupBound, and that Acquire took it no sooner than the key would have expired had it been
// neither released nor extended. That expiry must have been further away than the bound. For a lock with a queue
// ([Options].Queue) the time starts when no client ahead of that Acquire has crashed, or sent a request that arrived after
// its own Acquire had returned. In waits that began before the world had healed a wake-up may have been lost: the time
// starts at [Options].Recovery after the healing at the earliest, and without a Recovery they are excused. Not applicable
// without a bound, on independent nodes, or if no client waited for a lock that was released well before its expiry.
const BoundedWakeup = "bounded-wakeup"

var boundedWakeup = Property{
	ID: BoundedWakeup, Letter: "W", Legend: "waiters get a released lock only at its expiry",
	About: "a client that waits for the lock gets it soon after its release, not only when it would have expired",
	Description: model.Description{
		Asks:   "A waiter gets the lock soon after its release, not only when it would have expired.",
		Window: "free, yet nobody is woken",
	},
	Doc: "A waiting client gets the lock soon after its release, and not only when its lease would have expired. The message that wakes " +
		"the client may be lost with its connection, or be sent before the subscription is made: check the lock each time the " +
		"subscription is made. Clients that were waiting when a fault struck have the store's recovery time more to find out.",
	NeedsHolder: true,
	Verdict:     func(j *Judge) model.Verdict { return boundedWakeupJudge{j}.verdict() },
}

// boundedWakeupJudge judges a history by bounded-wakeup.
type boundedWakeupJudge struct{ base *Judge }

// verdict compares with the expiry that the key had when the wait for it began or, if later, when it was written: an
// extension does not wake a sleeper. In a queue, a crashed client, or one queued by a request that came after its
// acquisition was over, cannot be woken; the lock skips it only later.
func (j boundedWakeupJudge) verdict() model.Verdict {
	key, ok := j.base.LockRecord()
	switch {
	case j.base.o.WakeupBound <= 0:
		return notApplicable("No bound is set within which waiting clients must wake up.")
	case !ok || j.base.o.Nodes > 1:
		return j.base.notSingle()
	}
	looked := false
	all := j.base.Tenures()
	var before *holders.Tenure
	for i := range all {
		t := &all[i]
		if !t.OfKey(key) {
			continue
		}
		if before != nil && before.Over != nil && before.Over.Seq < t.From.Seq && before.Key == t.Key && !j.shared(all[:i], before) {
			woken, slept := j.woken(before, t)
			looked = looked || woken
			if slept {
				return j.overslept(before, t)
			}
		}
		before = t
	}
	if !looked {
		return notApplicable("Nobody waited for a lock that was released before its expiry.")
	}
	return holds()
}

// shared reports whether another of the tenures has the key when the given one ends: the lock was not free then.
func (j boundedWakeupJudge) shared(list []holders.Tenure, t *holders.Tenure) bool {
	if j.base.o.Ownership == nil {
		return false
	}
	return slices.ContainsFunc(list, func(o holders.Tenure) bool {
		return o.Node == t.Node && o.Key == t.Key && o.From.Seq < t.Over.Seq && (o.Over == nil || o.Over.Seq > t.Over.Seq)
	})
}

// woken judges two successive tenures. It reports whether the second belongs to an Acquire that waited for the release of
// the first, and whether that Acquire slept on.
func (j boundedWakeupJudge) woken(before, t *holders.Tenure) (waited, slept bool) {
	x := j.base.h.Operation(t.Acquisition)
	o := before.Over
	if o.Kind != model.RecordDeleted || t.Resumed || x == nil || x.Try || x.Call.Seq > o.Seq {
		return false, false
	}
	if j.base.ReplacedActs(before.Node, before.From, t.From) {
		return false, false // the first may have been released at one node while the second waited at another
	}
	since := o.At
	if x.Call.At < j.base.h.Healed {
		if j.base.o.Recovery <= 0 {
			return false, false
		}
		since = max(since, j.base.h.Healed+j.base.o.Recovery)
	}
	expiry := j.base.ExpiryAt(before, max(x.Call.Seq, before.From.Seq))
	if expiry-since <= j.base.o.WakeupBound {
		return false, false // it would have expired soon, or never
	}
	if t.From.At <= since {
		return false, false // it ended before the client could ask anything of it
	}
	const early = 8 // clocks and roundings may be off by this fraction of the bound
	if t.From.At < expiry-j.base.o.WakeupBound/early || t.From.At-since <= j.base.o.WakeupBound {
		return true, false
	}
	since = max(since, j.cleared(x, o, t.From))
	return since < t.From.At, t.From.At-since > j.base.o.WakeupBound
}

// cleared returns when, between a release and a grant, the queue ahead of an acquisition became free of clients that could
// neither take the lock nor leave the queue; 0 if there were none.
func (j boundedWakeupJudge) cleared(x *model.Operation, release *model.Observation, grant model.Stamp) (at time.Duration) {
	if j.base.o.Queue == "" || j.base.o.Ownership == nil {
		return 0
	}
	q := j.base.NewQueue()
	blocked := false
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Seq > grant.Seq {
			break
		}
		q.See(o)
		was := blocked
		if blocked = o.Seq >= release.Seq && j.behindGone(&q, x, o.Seq); was && !blocked {
			at = o.At
		}
	}
	if blocked {
		at = grant.At
	}
	return at
}

// behindGone reports whether a client ahead of an acquisition in the queue has crashed, or sent its request after its own
// Acquire had returned.
func (j boundedWakeupJudge) behindGone(q *holders.Queue, x *model.Operation, seq int64) bool {
	for _, p := range q.Places {
		y := j.base.h.Operation(p.Since.By.Op)
		switch {
		case y == nil:
			continue
		case y == x:
			return false
		case y.Return.Happened() && y.Return.Seq < p.Since.Seq:
			return true
		}
		if crash := j.base.CrashAfter(y.Client, y.Call.Seq); crash.Happened() && crash.Seq < seq {
			return true
		}
	}
	return false
}

func (j boundedWakeupJudge) overslept(before, t *holders.Tenure) model.Verdict {
	x, o := j.base.h.Operation(t.Acquisition), before.Over
	whose := "the lock was released"
	if r := j.base.h.Operation(o.By.Op); r != nil {
		whose = j.base.who(r) + " had released it"
	}
	sentence := j.base.who(x) + " waited for the lock " + forTime(t.From.At-o.At) + " after " + whose + ", until the released " + j.base.record() + " would have expired."
	return WithCause(violated(sentence, o.Stamp, t.From, []int{x.ID, before.Acquisition, o.By.Op}, []int64{o.Seq, t.From.Seq}), model.NotWoken)
}
