package checker

import "github.com/lockpick-dev/lockpick/model"

// VainWait is a weak property. It is violated when an Acquire waits for longer than a lease after its record has expired
// with its session and the world has healed. The Acquire has lost its place and can only begin anew. It is excused if it
// had another record by then, with another session. Not applicable if no record of an Acquire that waits ended in this
// way.
const VainWait = "vain-wait"

var vainWait = Property{
	ID: VainWait, Letter: "v", Legend: "a client waits on when its record has ended with its session",
	About: "a client stops waiting for the lock when its record has ended with its session",
	Description: model.Description{
		Asks:   "A client stops waiting when its {record} has ended with its session.",
		Window: "waits in vain",
	},
	Doc: "An `Acquire` waits on, for longer than a lease, when its session has ended and its place in the queue with it. It can only begin " +
		"anew.",
	Weak:    true,
	Verdict: func(j *Judge) model.Verdict { return vainWaitJudge{j}.verdict() },
}

// vainWaitJudge judges a history by vain-wait.
type vainWaitJudge struct{ base *Judge }

// verdict counts from the end of the record or from the healing of the world, whichever is later.
func (j vainWaitJudge) verdict() model.Verdict {
	looked := false
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		x := j.base.h.Operation(j.base.AcquisitionOf(o.Owner))
		if o.Kind != model.RecordExpired || o.Authority == "" || o.Session == "" || x == nil || x.Return.Happened() && x.Return.Seq < o.Seq {
			continue
		}
		looked = true
		if j.hasPlace(x, o) {
			continue
		}
		to := j.waitEnds(x, o)
		if owed := max(o.At, j.base.h.Healed); to.At-owed > j.base.h.TTL {
			sentence := j.base.who(x) + " waited for " + j.base.Noun() + " " + forTime(to.At-owed) + " after its " + j.base.record() + " had ended with its session."
			return WithCause(violated(sentence, j.base.StampAt(owed), to, []int{x.ID}, []int64{o.Seq}), model.WaitsInVain)
		}
	}
	if !looked {
		return notApplicable("No " + j.base.record() + " of an Acquire that waited has ended with its session.")
	}
	return holds()
}

// hasPlace reports whether an Acquire whose record has ended with its session had another
// record, which lives with another session.
func (j vainWaitJudge) hasPlace(x *model.Operation, ended *model.Observation) bool {
	type record struct{ place, key string }
	places := map[record]bool{}
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Seq >= ended.Seq {
			break
		}
		if o.Authority == "" || !o.Kind.OfRecord() {
			continue
		}
		stands := o.Kind == model.RecordCreated || o.Kind == model.RecordChanged
		if stands && o.Session != "" && o.Session != ended.Session && j.base.AcquisitionOf(o.Owner) == x.ID {
			places[record{o.Place(), o.Key}] = true
		} else {
			delete(places, record{o.Place(), o.Key})
		}
	}
	return len(places) > 0
}

// waitEnds returns when an Acquire whose record has ended stopped waiting in vain: it returned, made another record, or
// its process crashed.
func (j vainWaitJudge) waitEnds(x *model.Operation, ended *model.Observation) model.Stamp {
	end := j.base.h.End
	if x.Return.Happened() {
		end = x.Return
	}
	if c := j.base.CrashAfter(x.Client, ended.Seq); c.Happened() && c.Seq < end.Seq {
		end = c
	}
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Seq > ended.Seq && o.Seq < end.Seq && o.Kind == model.RecordCreated && o.Authority != "" && j.base.AcquisitionOf(o.Owner) == x.ID {
			return o.Stamp
		}
	}
	return end
}
