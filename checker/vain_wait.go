package checker

import "github.com/lockpick-dev/lockpick/model"

// vainWait: violated when an Acquire waited for longer than a lease after its record had
// ended with its session and, if that is later, the world had healed. One that has a record
// with another session by then still has a place.
func (j *judge) vainWait() model.Verdict {
	looked := false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		x := j.h.Operation(j.acquisitionOf(o.Owner))
		if o.Kind != model.RecordExpired || o.Authority == "" || o.Session == "" || x == nil || x.Return.Happened() && x.Return.Seq < o.Seq {
			continue
		}
		looked = true
		if j.hasPlace(x, o) {
			continue
		}
		to := j.waitEnds(x, o)
		if owed := max(o.At, j.h.Healed); to.At-owed > j.h.TTL {
			sentence := j.who(x) + " waited for " + j.noun() + " " + forTime(to.At-owed) + " after its " + j.record() + " had ended with its session."
			return with(violated(sentence, j.stampAt(owed), to, []int{x.ID}, []int64{o.Seq}), WaitsInVain)
		}
	}
	if !looked {
		return notApplicable("No " + j.record() + " of an Acquire that waited has ended with its session.")
	}
	return holds()
}

// hasPlace reports whether an Acquire whose record has ended with its session had another
// record, which lives with another session.
func (j *judge) hasPlace(x *model.Operation, ended *model.Observation) bool {
	type record struct{ place, key string }
	places := map[record]bool{}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq >= ended.Seq {
			break
		}
		if o.Authority == "" || !o.Kind.OfRecord() {
			continue
		}
		stands := o.Kind == model.RecordCreated || o.Kind == model.RecordChanged
		if stands && o.Session != "" && o.Session != ended.Session && j.acquisitionOf(o.Owner) == x.ID {
			places[record{o.Place(), o.Key}] = true
		} else {
			delete(places, record{o.Place(), o.Key})
		}
	}
	return len(places) > 0
}

// waitEnds is when an Acquire whose record has ended did not wait in vain any more: it
// returned, made another record, or its process crashed.
func (j *judge) waitEnds(x *model.Operation, ended *model.Observation) model.Stamp {
	end := j.h.End
	if x.Return.Happened() {
		end = x.Return
	}
	if c := j.crashAfter(x.Client, ended.Seq); c.Happened() && c.Seq < end.Seq {
		end = c
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > ended.Seq && o.Seq < end.Seq && o.Kind == model.RecordCreated && o.Authority != "" && j.acquisitionOf(o.Owner) == x.ID {
			return o.Stamp
		}
	}
	return end
}
