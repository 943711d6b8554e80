package endings

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// This file finds how a grant ended: as granted, by the store, or by a request.

// Ending is how a part of a grant ended.
type Ending uint8

// The ways in which parts end.
const (
	Stands      Ending = iota // not at all
	RanOut                    // as granted
	Forgotten                 // by the store
	ClockJumped               // by the store's clock
	TakenAway                 // by a request of another acquisition
	GivenBack                 // by a request of its own
	Renounced                 // by a request of its own, before the same acquisition was granted the lock again
	MovedOn                   // to another server of the store, which has it
	Unclear
)

// Part is a grant of one server to an acquisition.
type Part struct {
	Node, Server string
	Key          string
	// Name is the name of the holder, or the value, in the store.
	Name string
	// From is when the part was granted, Given when it was last renewed, and Until when it ends as granted.
	From, Given, Until time.Duration
	// Gone is when it ended, [holders.NoEnd] while it is active; How is the way in which it ended, and Over the observation
	// that ended it.
	Gone time.Duration
	How  Ending
	Over *model.Observation
	// Own is set unless the part was left by an earlier acquisition of the thread.
	Own bool
}

// rounding is the largest difference between two readings of the same end in the
// store.
const rounding = 2 * time.Millisecond

// Parts returns the grants to an acquisition until the event. If it has none of its own, those of its process count: its
// threads may share a lease.
func (es *Endings) Parts(x *model.Operation, key string, at model.Stamp) []Part {
	collect := func(tenures []*holders.Tenure, since int64) (list []Part) {
		for _, t := range tenures {
			own := t.Acquisition == 0 && !(t.Unknown && t.Wrote.Seq < x.Call.Seq) || t.Acquisition >= x.ID
			if t.From.Seq > at.Seq || !own && !t.Overlaps(x.Call.Seq, at.Seq) || t.Over != nil && t.Over.Seq <= since {
				continue
			}
			// What an earlier acquisition of the thread had, and gave back, was not left
			// for this one.
			if p := es.part(x, t, at); own || p.How != GivenBack {
				p.Own = own
				list = append(list, p)
			}
		}
		return list
	}
	list := collect(es.TenuresFor(x, key, at.Seq), 0)
	if own := slices.DeleteFunc(slices.Clone(list), func(p Part) bool { return !p.Own }); len(own) > 0 {
		// A client with another name than before does not rely on parts under the old name.
		list = slices.DeleteFunc(list, func(p Part) bool {
			return !p.Own && !slices.ContainsFunc(own, func(o Part) bool { return o.Name == p.Name })
		})
	}
	if len(list) == 0 {
		list = collect(slices.Collect(es.TenuresOfClient(x.Client, key)), x.Call.Seq)
	}
	renounce(list)
	if before := es.Entered(x); len(list) == 0 && before != nil && holders.AsksNobody(x) {
		return es.Parts(before, key, at) // it takes again the lease that it believes to have
	}
	return list
}

// renounce marks the parts that an acquisition gave back before its server granted it a later one, as an Acquire does that tries again.
// The claim does not rely on them: how long they would have lasted does not matter.
func renounce(parts []Part) {
	for i := range parts {
		p := &parts[i]
		if p.How == GivenBack && slices.ContainsFunc(parts, func(later Part) bool { return later.Own && later.Server == p.Server && later.From >= p.Gone }) {
			p.How = Renounced
		}
	}
}

func (es *Endings) part(x *model.Operation, t *holders.Tenure, at model.Stamp) Part {
	p := Part{Node: t.Node, Server: es.Server(t.Node), Key: t.Key, Name: t.Holder, From: t.From.At, Gone: holders.NoEnd}
	if es.o.Ownership == nil {
		p.Name = t.Wrote.Value
	}
	var given model.Stamp
	p.Until, given = es.GrantedUntil(t, at.Seq)
	p.Given = es.FirstGiven(t, given).At
	if t.Wrote.Session != "" && p.Until <= p.From { // it lives with a session whose end was granted before the clock jumped
		p.Until += es.JumpedOver(t.Node, given.Seq, p.From-p.Until)
	}
	if t.Until == 0 && p.Until != holders.NoEnd { // a key ends later by a clock that jumps back
		end := at.Seq
		if t.Over != nil {
			end = min(end, t.Over.Seq)
		}
		p.Until -= min(0, es.Jumped(t.Node, given.Seq, end))
	}
	if t.Over != nil && t.Over.Seq <= at.Seq {
		p.Over, p.Gone = t.Over, t.Over.At
		p.How = es.ending(x, t, &p, given)
	}
	if ends := p.Until - es.Jumped(t.Node, given.Seq, at.Seq); t.Until != 0 && p.How == Stands && ends <= at.At {
		p.How = p.ended(ends, at.At)
	}
	if p.How == RanOut {
		if before := es.SetBackFrom(t, at.Seq); before > p.Gone+rounding {
			p.How, p.Until = Forgotten, before
		}
	}
	switch {
	case p.How == Stands:
		p.Until = max(p.Until, at.At+1)
	case p.How == RanOut && t.Wrote.Session != "": // which was kept alive until a lease before
		p.Given = max(p.Given, p.Gone-es.h.TTL)
	}
	return p
}

// ended returns how a part ended that is over at the time at, and whose end by its node's clock is ends: by a jump of that
// clock, unless it had also expired as granted by then.
func (p *Part) ended(ends, at time.Duration) Ending {
	if p.Gone = ends; at < p.Until {
		return ClockJumped
	}
	p.Gone = max(ends, p.Until)
	return RanOut
}

// ending returns how a tenure ended. A key without an expiry that another client takes over after the requested lease has
// expired: some locks keep the end in the value.
func (es *Endings) ending(x *model.Operation, t *holders.Tenure, p *Part, given model.Stamp) Ending {
	o := t.Over
	switch o.Kind {
	case model.RecordExpired:
		switch {
		case o.Session != "" && o.ExpiresAt > o.At:
			p.Until = max(p.Until, o.ExpiresAt)
			return ClockJumped
		case p.Until <= p.From: // its node came back with it after its end
			p.Gone = p.Until
			return RanOut
		case o.At < p.Until-rounding && p.Until != holders.NoEnd:
			return ClockJumped
		}
		p.Until = o.At
		return RanOut
	case model.RecordDeleted, model.RecordChanged:
		if es.Moved(t) {
			return MovedOn
		}
	case model.RecordCreated:
		if o.Key == t.Key { // it had expired unseen
			return Forgotten
		}
	default:
		return Forgotten
	}
	if ends, passed := es.Passed(t, o, p.Until, given); t.Until != 0 && passed {
		return p.ended(ends, o.At)
	}
	y := es.Acquisition(es.h.Operation(o.By.Op))
	switch {
	case y == nil && es.ClientOf(o.By) == x.Client, y != nil && (y == x || y.ID == t.Acquisition || y.ID > x.ID && holders.SameThread(x, y)):
		if o.Kind == model.RecordChanged && es.o.Ownership == nil {
			return Unclear // a holder that enters again
		}
		return GivenBack
	case p.Until == holders.NoEnd && es.SessionEnd(x, t) < o.At:
		p.Until = es.SessionEnd(x, t)
		p.Gone, p.Given = p.Until, max(p.Given, p.Until-es.h.TTL)
		return RanOut
	case p.Until == holders.NoEnd && t.Until == 0 && t.Wrote.Session == "" && o.At >= es.AskedAt(x, o.Seq)+es.h.TTL:
		p.Until = es.AskedAt(x, o.Seq) + es.h.TTL
		p.Gone = p.Until
		return RanOut
	case o.Kind == model.RecordChanged && es.o.Ownership == nil && !es.Takes(y, o):
		return Unclear // another client's write there may mean something else
	}
	return TakenAway
}

// SessionEnd returns when the session of a share without an expiry ended, for a lock that keeps sessions in records of
// their own: a record that names the holder, by its key or its value, and was written by the holder's process, expired by
// itself before the share ended otherwise, and was not written again. Without one it returns [holders.NoEnd].
func (es *Endings) SessionEnd(x *model.Operation, t *holders.Tenure) (ends time.Duration) {
	name := t.Holder
	if es.o.Ownership == nil {
		name = t.Wrote.Value
	}
	if ends = holders.NoEnd; name == "" || t.Over == nil || t.Until != 0 || t.Wrote.ExpiresAt != 0 || t.Wrote.Session != "" {
		return ends
	}
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Seq >= t.Over.Seq {
			break
		}
		if o.Place() != t.Node || o.Key == t.Key || es.ClientOf(o.Owner) != x.Client || o.Value != name && !strings.Contains(o.Key, name) {
			continue
		}
		switch {
		case o.Kind == model.RecordCreated:
			ends = holders.NoEnd
		case o.Kind == model.RecordExpired && o.Seq > t.From.Seq:
			ends = o.At
		}
	}
	return ends
}

// EndedBy returns the first of the parts that ended in one of these ways, or nil.
func EndedBy(parts []Part, how ...Ending) *Part {
	for i := range parts {
		if slices.Contains(how, parts[i].How) {
			return &parts[i]
		}
	}
	return nil
}

// unlessForgotten returns when a part would have ended if the store had not forgotten it.
func unlessForgotten(p *Part) time.Duration {
	switch p.How {
	case TakenAway, GivenBack, Renounced, Unclear, RanOut, MovedOn:
		return p.Gone
	}
	return p.Until
}

// unlessTaken returns when a part would have ended if the store had not forgotten it and no other acquisition had removed it.
func unlessTaken(p *Part) time.Duration {
	if p.How == TakenAway {
		return p.Until
	}
	return unlessForgotten(p)
}

// AsGranted returns when a part would have ended if it had run its full term.
func AsGranted(p *Part) time.Duration {
	if p.How == GivenBack || p.How == Unclear {
		return p.Until
	}
	return unlessTaken(p)
}

// Together returns the last time at which the parts were on a quorum of the servers, if they ever were, where end returns
// the end of each part.
func (es *Endings) Together(parts []Part, end func(*Part) time.Duration) (last time.Duration, ever bool) {
	var room [8]string
	for i := range parts {
		e := end(&parts[i])
		if ever && e <= last {
			continue
		}
		servers := room[:0]
		for k := range parts {
			p := &parts[k]
			if p.From <= e && end(p) >= e && !slices.Contains(servers, p.Server) {
				servers = append(servers, p.Server)
			}
		}
		if len(servers) >= es.Quorum() {
			last, ever = e, true
		}
	}
	return last, ever
}

// grantedTo returns when the grant ends as granted on a quorum of the servers, if a quorum ever granted it. If one part
// had expired before the next was granted, it is the end of the deciding part, although they were never held together.
func (es *Endings) grantedTo(parts []Part) (ended time.Duration, ever bool) {
	if ended, ever = es.Together(parts, AsGranted); ever {
		return ended, true
	}
	last := map[string]time.Duration{}
	for i := range parts {
		p := &parts[i]
		last[p.Server] = max(last[p.Server], AsGranted(p))
	}
	if len(last) < es.Quorum() {
		return 0, false
	}
	ends := slices.Sorted(maps.Values(last))
	return ends[len(ends)-es.Quorum()], true
}

// renewedAt returns when the part of a grant that ends at time e was last renewed.
func renewedAt(parts []Part, e time.Duration, end func(*Part) time.Duration) (given time.Duration) {
	for i := range parts {
		if end(&parts[i]) == e {
			given = max(given, parts[i].Given)
		}
	}
	return given
}
