package checker

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file answers how a grant came to its end: as granted, by the store, or by a
// request.

// ending is how a part of a grant ended.
type ending uint8

const (
	stands    ending = iota
	ranOut           // as granted
	forgotten        // by the store
	hurried          // by the store's clock
	takenAway        // by a request of another acquisition
	givenBack        // by a request of its own
	movedOn          // to another server of the store, which has it
	unclear
)

// part is a grant of one server to an acquisition.
type part struct {
	node, server string
	key          string
	// name is the holder's, or the value, that the store has for it.
	name string
	// from is when it was granted, given when that was last renewed, and until when
	// it ends as granted.
	from, given, until time.Duration
	// gone is when it ended, how and by what; noEnd while it stands.
	gone time.Duration
	how  ending
	over *model.Observation
	// own is set unless an earlier acquisition of the thread left it behind.
	own bool
}

// rounding is the largest difference between two readings of the same end in the
// store.
const rounding = 2 * time.Millisecond

// parts are the grants to an acquisition until the event. If it has none of its
// own, those of its process count: its threads may share a lease.
func (es *Endings) parts(x *model.Operation, key string, at model.Stamp) []part {
	collect := func(tenures []*tenure, since int64) (list []part) {
		for _, t := range tenures {
			own := t.acquisition == 0 && !(t.unknown && t.wrote.Seq < x.Call.Seq) || t.acquisition >= x.ID
			if t.from.Seq > at.Seq || !own && !t.overlaps(x.Call.Seq, at.Seq) || t.over != nil && t.over.Seq <= since {
				continue
			}
			// What an earlier acquisition of the thread had, and gave back, was not left
			// for this one.
			if p := es.part(x, t, at); own || p.how != givenBack {
				p.own = own
				list = append(list, p)
			}
		}
		return list
	}
	list := collect(es.tenuresFor(x, key, at.Seq), 0)
	if own := slices.DeleteFunc(slices.Clone(list), func(p part) bool { return !p.own }); len(own) > 0 {
		// Who goes by another name than before does not rely on what is there in that.
		list = slices.DeleteFunc(list, func(p part) bool {
			return !p.own && !slices.ContainsFunc(own, func(o part) bool { return o.name == p.name })
		})
	}
	if len(list) == 0 {
		list = collect(slices.Collect(es.tenuresOfClient(x.Client, key)), x.Call.Seq)
	}
	if before := es.entered(x); len(list) == 0 && before != nil && asksNobody(x) {
		return es.parts(before, key, at) // it takes once more what it believes to have
	}
	return list
}

func (es *Endings) part(x *model.Operation, t *tenure, at model.Stamp) part {
	p := part{node: t.node, server: es.server(t.node), key: t.key, name: t.holder, from: t.from.At, gone: noEnd}
	if es.o.Ownership == nil {
		p.name = t.wrote.Value
	}
	var given model.Stamp
	p.until, given = es.grantedUntil(t, at.Seq)
	p.given = es.firstGiven(t, given).At
	if t.wrote.Session != "" && p.until <= p.from { // it lives with a session whose end was granted before the clock jumped
		p.until += es.jumpedOver(t.node, given.Seq, p.from-p.until)
	}
	if t.until == 0 && p.until != noEnd { // a key ends later by a clock that jumps back
		end := at.Seq
		if t.over != nil {
			end = min(end, t.over.Seq)
		}
		p.until -= min(0, es.jumped(t.node, given.Seq, end))
	}
	if t.over != nil && t.over.Seq <= at.Seq {
		p.over, p.gone = t.over, t.over.At
		p.how = es.ending(x, t, &p, given)
	}
	if ends := p.until - es.jumped(t.node, given.Seq, at.Seq); t.until != 0 && p.how == stands && ends <= at.At {
		p.how = p.ended(ends, at.At)
	}
	if p.how == ranOut {
		if before := es.setBackFrom(t, at.Seq); before > p.gone+rounding {
			p.how, p.until = forgotten, before
		}
	}
	switch {
	case p.how == stands:
		p.until = max(p.until, at.At+1)
	case p.how == ranOut && t.wrote.Session != "": // which was kept alive until a lease before
		p.given = max(p.given, p.gone-es.h.TTL)
	}
	return p
}

// ended says how a part ended that is over at a time, and did by the clock of its node at another:
// by a jump of that, unless it was over as granted by then as well.
func (p *part) ended(ends, at time.Duration) ending {
	if p.gone = ends; at < p.until {
		return hurried
	}
	p.gone = max(ends, p.until)
	return ranOut
}

// ending says how a tenure ended. A key without an expiry that another client takes
// over when the requested lease has passed has run out: some locks keep the end in
// the value.
func (es *Endings) ending(x *model.Operation, t *tenure, p *part, given model.Stamp) ending {
	o := t.over
	switch o.Kind {
	case model.RecordExpired:
		switch {
		case o.Session != "" && o.ExpiresAt > o.At:
			p.until = max(p.until, o.ExpiresAt)
			return hurried
		case p.until <= p.from: // it came back with a node when its time was over
			p.gone = p.until
			return ranOut
		case o.At < p.until-rounding && p.until != noEnd:
			return hurried
		}
		p.until = o.At
		return ranOut
	case model.RecordDeleted, model.RecordChanged:
		if es.moved(t) {
			return movedOn
		}
	case model.RecordCreated:
		if o.Key == t.key { // it had gone unseen
			return forgotten
		}
	default:
		return forgotten
	}
	if ends, passed := es.passed(t, o, p.until, given); t.until != 0 && passed {
		return p.ended(ends, o.At)
	}
	y := es.acquisition(es.h.Operation(o.By.Op))
	switch {
	case y == nil && es.clientOf(o.By) == x.Client, y != nil && (y == x || y.ID == t.acquisition || y.ID > x.ID && sameThread(x, y)):
		if o.Kind == model.RecordChanged && es.o.Ownership == nil {
			return unclear // a holder who enters again
		}
		return givenBack
	case p.until == noEnd && es.sessionEnd(x, t) < o.At:
		p.until = es.sessionEnd(x, t)
		p.gone, p.given = p.until, max(p.given, p.until-es.h.TTL)
		return ranOut
	case p.until == noEnd && t.until == 0 && t.wrote.Session == "" && o.At >= es.asked(x, o.Seq)+es.h.TTL:
		p.until = es.asked(x, o.Seq) + es.h.TTL
		p.gone = p.until
		return ranOut
	case o.Kind == model.RecordChanged && es.o.Ownership == nil && !es.takes(y, o):
		return unclear // what others write there may mean something else
	}
	return takenAway
}

// sessionEnd is when a session ended that a lock keeps in a record of its own: what names the holder of a share without
// an end, by its key or its value, and was put there by the holder's process, expired by itself before something else
// ended the share, and was not put there again. Otherwise it is noEnd.
func (es *Endings) sessionEnd(x *model.Operation, t *tenure) (ends time.Duration) {
	name := t.holder
	if es.o.Ownership == nil {
		name = t.wrote.Value
	}
	if ends = noEnd; name == "" || t.over == nil || t.until != 0 || t.wrote.ExpiresAt != 0 || t.wrote.Session != "" {
		return ends
	}
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Seq >= t.over.Seq {
			break
		}
		if o.Place() != t.node || o.Key == t.key || es.clientOf(o.Owner) != x.Client || o.Value != name && !strings.Contains(o.Key, name) {
			continue
		}
		switch {
		case o.Kind == model.RecordCreated:
			ends = noEnd
		case o.Kind == model.RecordExpired && o.Seq > t.from.Seq:
			ends = o.At
		}
	}
	return ends
}

// endedBy returns the first of the parts that ended like this, or nil.
func endedBy(parts []part, how ...ending) *part {
	for i := range parts {
		if slices.Contains(how, parts[i].how) {
			return &parts[i]
		}
	}
	return nil
}

// unlessForgotten, unlessTaken and asGranted are ends of a part of a grant, each
// without some of its losses.
func unlessForgotten(p *part) time.Duration {
	switch p.how {
	case takenAway, givenBack, unclear, ranOut, movedOn:
		return p.gone
	}
	return p.until
}

func unlessTaken(p *part) time.Duration {
	if p.how == takenAway {
		return p.until
	}
	return unlessForgotten(p)
}

func asGranted(p *part) time.Duration {
	if p.how == givenBack || p.how == unclear {
		return p.until
	}
	return unlessTaken(p)
}

// together is the last time at which the parts were on a quorum of the servers, if
// they ever were, when each of them ends like this.
func (es *Endings) together(parts []part, end func(*part) time.Duration) (last time.Duration, ever bool) {
	var room [8]string
	for i := range parts {
		e := end(&parts[i])
		if ever && e <= last {
			continue
		}
		servers := room[:0]
		for k := range parts {
			p := &parts[k]
			if p.from <= e && end(p) >= e && !slices.Contains(servers, p.server) {
				servers = append(servers, p.server)
			}
		}
		if len(servers) >= es.quorum() {
			last, ever = e, true
		}
	}
	return last, ever
}

// grantedTo is when the parts end as granted on a quorum of the servers, if these ever
// granted them. If one had run out before the next was granted, it is the end of the
// one that decides, though they were never had together.
func (es *Endings) grantedTo(parts []part) (ended time.Duration, ever bool) {
	if ended, ever = es.together(parts, asGranted); ever {
		return ended, true
	}
	last := map[string]time.Duration{}
	for i := range parts {
		p := &parts[i]
		last[p.server] = max(last[p.server], asGranted(p))
	}
	if len(last) < es.quorum() {
		return 0, false
	}
	ends := slices.Sorted(maps.Values(last))
	return ends[len(ends)-es.quorum()], true
}

// renewedAt is when that part of a grant was last renewed which ends at the time.
func renewedAt(parts []part, e time.Duration, end func(*part) time.Duration) (given time.Duration) {
	for i := range parts {
		if end(&parts[i]) == e {
			given = max(given, parts[i].given)
		}
	}
	return given
}
