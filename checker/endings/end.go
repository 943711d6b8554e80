package endings

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// This file answers how a grant ended: as granted, by the store, or by a
// request.

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
	MovedOn                   // to another server of the store, which has it
	Unclear
)

// Part is a grant of one server to an acquisition.
type Part struct {
	Node, Server string
	Key          string
	// Name is the holder's, or the value, that the store has for it.
	Name string
	// From is when it was granted, Given when it was last renewed, and Until when
	// it ends as granted.
	From, Given, Until time.Duration
	// Gone is when it ended, [holders.NoEnd] as long as it is active, How in which way, and Over by what.
	Gone time.Duration
	How  Ending
	Over *model.Observation
	// Own is set unless an earlier acquisition of the thread left it behind.
	Own bool
}

// rounding is the largest difference between two readings of the same end in the
// store.
const rounding = 2 * time.Millisecond

// Parts returns the grants to an acquisition until the event. If it has none of its
// own, those of its process count: its threads may share a lease.
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
		// Who goes by another name than before does not rely on what is there in that.
		list = slices.DeleteFunc(list, func(p Part) bool {
			return !p.Own && !slices.ContainsFunc(own, func(o Part) bool { return o.Name == p.Name })
		})
	}
	if len(list) == 0 {
		list = collect(slices.Collect(es.TenuresOfClient(x.Client, key)), x.Call.Seq)
	}
	if before := es.Entered(x); len(list) == 0 && before != nil && holders.AsksNobody(x) {
		return es.Parts(before, key, at) // it takes once more what it believes to have
	}
	return list
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

// ended says how a part ended that is over at a time, and did by the clock of its node at another:
// by a jump of that, unless it was over as granted by then as well.
func (p *Part) ended(ends, at time.Duration) Ending {
	if p.Gone = ends; at < p.Until {
		return ClockJumped
	}
	p.Gone = max(ends, p.Until)
	return RanOut
}

// ending says how a tenure ended. A key without an expiry that another client takes
// over when the requested lease has passed has run out: some locks keep the end in
// the value.
func (es *Endings) ending(x *model.Operation, t *holders.Tenure, p *Part, given model.Stamp) Ending {
	o := t.Over
	switch o.Kind {
	case model.RecordExpired:
		switch {
		case o.Session != "" && o.ExpiresAt > o.At:
			p.Until = max(p.Until, o.ExpiresAt)
			return ClockJumped
		case p.Until <= p.From: // it came back with a node when its time was over
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
		if o.Key == t.Key { // it had gone unseen
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
			return Unclear // a holder who enters again
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
		return Unclear // what others write there may mean something else
	}
	return TakenAway
}

// SessionEnd returns when a session ended that a lock keeps in a record of its own: what names the holder of a share without
// an end, by its key or its value, and was put there by the holder's process, expired by itself before something else
// ended the share, and was not put there again. Otherwise it is [holders.NoEnd].
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
	case TakenAway, GivenBack, Unclear, RanOut, MovedOn:
		return p.Gone
	}
	return p.Until
}

// unlessTaken returns when a part would have ended if, besides, nobody had removed it.
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

// Together returns the last time at which the parts were on a quorum of the servers, if
// they ever were, when each of them ends like this.
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

// grantedTo returns when the parts end as granted on a quorum of the servers, if these ever
// granted them. If one had run out before the next was granted, it is the end of the
// one that decides, though they were never had together.
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

// renewedAt returns when that part of a grant was last renewed which ends at the time.
func renewedAt(parts []Part, e time.Duration, end func(*Part) time.Duration) (given time.Duration) {
	for i := range parts {
		if end(&parts[i]) == e {
			given = max(given, parts[i].Given)
		}
	}
	return given
}
