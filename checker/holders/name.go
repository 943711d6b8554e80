package holders

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds whose a name in a record is.
//
// A request may write another holder's name into a lock: a Release, or the clean-up of an Acquire, that hands the lock to
// a waiter, or an Acquire that finds it free and gives it to the first in the queue. That is a grant to the named holder.
// It belongs to the acquisition whose own request had written the name before, such as into a queue. Otherwise it belongs
// to the only acquisition that succeeds while the name is there. If none does, or several do, the holder is not known.

// writtenFor returns the owner of a value that an observation shows, or of the holder's name in it; unknown is set if the
// owner is not known yet.
func (t *tenures) writtenFor(o *model.Observation, holder string) (by model.Origin, acquisition int, unknown bool) {
	hs := t.hs
	own, gives := hs.AcquisitionOf(o.Owner), t.givesUp(o)
	name := holder
	if holder == "" {
		if !gives || o.Kind != model.RecordChanged {
			return o.Owner, own, false
		}
		name = o.Value
	}
	namers := t.namers(name, o.Seq)
	mine := func(x *model.Operation) bool { return x.ID == own || !gives && x.Client == hs.ClientOf(o.Owner) }
	others := slices.DeleteFunc(slices.Clone(namers), mine)
	switch {
	case !gives && (len(others) < len(namers) || len(others) == 0 || !waitsAt(others[len(others)-1], o.Seq)):
		return o.Owner, own, false
	case len(others) > 0:
		x := hs.named(others, o.Seq)
		return model.Origin{Client: x.Client, Op: x.ID}, x.ID, false
	case holder == "" && !t.restoresEntry(o) || len(namers) == 0 && holder != "":
		return o.Owner, 0, true
	}
	return o.Owner, own, false
}

// givesUp reports whether a request wrote a value in giving the lock up: it belongs to a Release, or to the clean-up of an
// Acquire that had the lock or whose thread had it. An Acquire gives nothing up if its own record had expired, or if it
// succeeds by the value.
func (t *tenures) givesUp(o *model.Observation) bool {
	y := t.hs.h.Operation(o.Owner.Op)
	if y == nil || y.Kind != model.Acquire {
		return y != nil && y.Kind == model.Release
	}
	return slices.ContainsFunc(overAt(t.list, t.overs, o.Seq), func(i int) bool {
		k := &t.list[i]
		if k.Key != o.Key || k.Wrote.Value == o.Value || t.hs.ExpiredAtEnd(k) {
			return false
		}
		x := t.hs.h.Operation(k.Acquisition)
		return (k.Unknown || x != nil && SameThread(x, y)) && !t.hs.succeedsBy(y, o)
	})
}

// succeedsBy reports whether an Acquire succeeded by the value that its own observation shows: it wrote no other until its
// return.
func (hs *Holders) succeedsBy(y *model.Operation, o *model.Observation) bool {
	if !Acquired(y) {
		return false
	}
	var last *model.Observation
	for _, p := range hs.requestsOf(y.ID) {
		if p.Seq > y.Return.Seq {
			break
		}
		if p.Key == o.Key && p.Authority != "" && (p.Kind == model.RecordCreated || p.Kind == model.RecordChanged) {
			last = p
		}
	}
	return last != nil && last.Value == o.Value
}

// restoresEntry reports whether a request restored a value that its own acquisition, or an earlier one of the same thread,
// had written before: the thread has left one of several entries.
func (t *tenures) restoresEntry(o *model.Observation) bool {
	y := t.hs.h.Operation(o.Owner.Op)
	for i := range t.hs.h.Observations {
		before := &t.hs.h.Observations[i]
		if before.Seq >= o.Seq {
			break
		}
		x := t.hs.h.Operation(before.Owner.Op)
		if before.Key == o.Key && before.Value == o.Value && before.Type == o.Type && x != nil && x.Kind == model.Acquire && SameThread(x, y) {
			return true
		}
	}
	return false
}

// changesHolder reports whether a value may name another holder than the one before: it is another text, or has other
// members. A number, or a count in a hash, names no holder.
func changesHolder(before, o *model.Observation) bool {
	was, is := before.Stored(), o.Stored()
	if was.Type != is.Type {
		return true
	}
	if is.Type == "string" {
		return was.Text != is.Text && !(isNumber(was.Text) && isNumber(is.Text))
	}
	if !slices.Equal(was.Names(), is.Names()) {
		return true
	}
	for _, name := range is.Names() {
		m, _ := was.Field(name)
		n, _ := is.Field(name)
		if m != n && !(isNumber(m) && isNumber(n)) {
			return true
		}
	}
	return false
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// namers returns the acquisitions whose own Acquire had written a name into the store for itself before the event, in the
// order of these writes. An acquisition that wrote the name of the next holder is left out.
func (t *tenures) namers(name string, until int64) []*model.Operation {
	hs := t.hs
	var found []*model.Operation
	for _, n := range hs.naming(name) {
		i := int(n)
		o := &hs.h.Observations[i]
		if o.Seq >= until {
			break
		}
		x := hs.h.Operation(o.By.Op)
		if x == nil || x.Kind != model.Acquire || slices.Contains(found, x) {
			continue
		}
		if !hs.namedBefore(i, name) && !hs.toldBefore(i, name) && !t.givenAway(o, x, name) {
			found = append(found, x)
		}
	}
	return found
}

// toldBefore reports whether observation i, of a key with a name, only repeats an earlier write of its request: it is a
// follower's copy, or was restored with a node.
func (hs *Holders) toldBefore(i int, name string) bool {
	o := &hs.h.Observations[i]
	for _, p := range hs.requestsOf(o.By.Op) {
		if p == o {
			break
		}
		if p.Key == o.Key && p.Value == o.Value && slices.Equal(p.Items, o.Items) && names(p, name) {
			return true
		}
	}
	return false
}

// givenAway reports whether an acquisition gave the lock to another under a name, by an observation.
func (t *tenures) givenAway(o *model.Observation, x *model.Operation, name string) bool {
	n, _ := slices.BinarySearchFunc(t.written, o.Seq, func(i int, seq int64) int { return cmp.Compare(t.list[i].Wrote.Seq, seq) })
	for ; n < len(t.written) && t.list[t.written[n]].Wrote.Seq == o.Seq; n++ {
		if k := &t.list[t.written[n]]; k.Acquisition != x.ID && (k.Holder == name || k.Holder == "" && o.Value == name) {
			return true
		}
	}
	return false
}

// names reports whether a key has a name: as its value, or among its elements.
func names(o *model.Observation, name string) bool {
	for n := range namesIn(o) {
		if n == name {
			return true
		}
	}
	return false
}

// namedBefore reports whether the key had the name before observation i.
func (hs *Holders) namedBefore(i int, name string) bool {
	before := hs.Previous(i)
	return before != nil && names(before, name)
}

// named returns the acquisition that a name belongs to among those that have written it: the last that waits, or else the
// last.
func (hs *Holders) named(namers []*model.Operation, seq int64) *model.Operation {
	for _, x := range slices.Backward(namers) {
		if waitsAt(x, seq) {
			return x
		}
	}
	return namers[len(namers)-1]
}

// waitsAt reports whether an Acquire is under way at the event.
func waitsAt(x *model.Operation, seq int64) bool {
	return x.Call.Seq < seq && (!x.Return.Happened() || x.Return.Seq > seq)
}

// settle finds the owners of values that are not known yet. The only acquisition that succeeds while such a value is there
// owns it. If none does, and no waiter has given up, crashed or removed the value meanwhile, a value written by a Release
// names no other holder and belongs to its writer; one that an Acquire wrote in giving up belongs to no acquisition.
func (t *tenures) settle() {
	for i := range t.list {
		k := &t.list[i]
		switch {
		case k.First != i:
			k.By, k.Acquisition, k.Unknown = t.list[k.First].By, t.list[k.First].Acquisition, t.list[k.First].Unknown
		case k.Unknown:
			t.settleOne(k)
		default:
			t.inherit(k)
		}
	}
}

// inherit handles a grant to an acquisition that had given up: another acquisition of its process may use the same name,
// and succeeds because it finds that name.
func (t *tenures) inherit(k *Tenure) {
	x := t.hs.h.Operation(k.Acquisition)
	if x == nil || !x.Return.Happened() || x.Return.Seq > k.From.Seq {
		return
	}
	if r := t.hs.h.Operation(t.hs.released[x.ID]); Acquired(x) && (r == nil || r.Call.Seq > k.From.Seq) {
		return // it has not given up
	}
	for i := x.ID; i < len(t.hs.h.Operations); i++ {
		w := &t.hs.h.Operations[i]
		if w.Client == x.Client && Acquired(w) && waitsAt(w, k.From.Seq) && t.active(k, w.Return.Seq) && t.hs.Grant(w, k.Key) == nil {
			k.Acquisition, k.By = w.ID, model.Origin{Client: w.Client, Op: w.ID}
			return
		}
	}
}

// active reports whether a tenure is active anywhere right after the event.
func (t *tenures) active(k *Tenure, seq int64) bool {
	if t.firsts == nil {
		t.firsts = newGrouped(len(t.list), func(add func(int, int)) {
			for i := range t.list {
				add(t.list[i].First, i)
			}
		})
	}
	return slices.ContainsFunc(t.firsts.of(k.First), func(i int) bool { return t.list[i].Stands(seq) })
}

func (t *tenures) settleOne(k *Tenure) {
	hs := t.hs
	active := func(seq int64) bool { return t.active(k, seq) }
	var winner *model.Operation
	winners, gone := 0, false
	for i := range hs.h.Operations {
		x := &hs.h.Operations[i]
		if x.Kind != model.Acquire {
			continue
		}
		switch {
		case Acquired(x) && active(x.Return.Seq):
			winner = x
			winners++
		case waitsAt(x, k.From.Seq):
			crash := hs.CrashAfter(x.Client, x.Call.Seq)
			died := crash.Happened() && (crash.Seq < k.From.Seq || active(crash.Seq))
			gone = gone || died || x.Return.Happened() && active(x.Return.Seq) || k.Over != nil && k.Over.By.Op == x.ID
		}
	}
	switch {
	case winners == 1:
		k.Acquisition, k.By, k.Unknown = winner.ID, model.Origin{Client: winner.Client, Op: winner.ID}, false
	case winners == 0 && !gone && hs.h.Operation(k.By.Op).Kind != model.Acquire:
		k.Acquisition, k.Unknown = hs.AcquisitionOf(k.By), false
	}
}

// Unsure reports whether, between the call of an Acquire and a stamp, the holder may be another than the writer of the
// lock's key: a Release may write the name of the next holder, and so may an Acquire that finds the lock free and gives it
// to the first in the queue.
func (hs *Holders) Unsure(x *model.Operation, key string, at model.Stamp) bool {
	unsigned := func(by model.Origin) bool {
		op := hs.h.Operation(by.Op)
		return op == nil || !WritesLock(op.Kind)
	}
	all := hs.Tenures()
	for i := range all {
		if t := &all[i]; t.OfKey(key) && t.Overlaps(x.Call.Seq, at.Seq) && (t.Unknown || unsigned(t.By)) {
			return true
		}
	}
	for i := range hs.h.Observations {
		o := &hs.h.Observations[i]
		writes := o.Authority != "" && o.Key == key && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged)
		if writes && o.Seq > x.Call.Seq && o.Seq <= at.Seq && (unsigned(o.Owner) || hs.namedBy(x, o)) {
			return true
		}
	}
	return false
}

// namedBy reports whether a value written by another is one that the acquisition's own request had written before, such as
// into a queue.
func (hs *Holders) namedBy(x *model.Operation, o *model.Observation) bool {
	names := o.Items
	if o.Type == "" {
		names = []string{o.Value}
	}
	for i := range hs.h.Observations {
		own := &hs.h.Observations[i]
		if own.Seq >= o.Seq {
			break
		}
		if own.By.Op == x.ID && slices.ContainsFunc(names, func(n string) bool {
			return n != "" && (own.Value == n || slices.Contains(own.Items, n)) && len(n) > 2 // a longer value than a count
		}) {
			return true
		}
	}
	return false
}
