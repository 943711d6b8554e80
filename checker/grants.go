package checker

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// part is a grant of one server to an acquisition.
type part struct {
	node, server string
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

const noEnd = time.Duration(math.MaxInt64)

// rounding is the largest difference between two readings of the same end in the
// store.
const rounding = 2 * time.Millisecond

// ending is how a part of a grant ended.
type ending uint8

const (
	stands    ending = iota
	ranOut           // as granted
	forgotten        // by the store
	hurried          // by the store's clock
	takenAway        // by a request of another acquisition
	givenBack        // by a request of its own
	unclear
)

// readable reports whether it is known who has the lock in the store, and by which
// key, empty for all.
func (j *judge) readable() (key string, ok bool) {
	key, ok = j.owned()
	return key, ok && j.unread == nil && j.everStored() && (j.o.Ownership != nil || !j.several())
}

// parts are the grants to an acquisition until the event. If it has none of its
// own, those of its process count: its threads may share a lease.
func (j *judge) parts(x *model.Operation, key string, at model.Stamp) []part {
	collect := func(mine func(*tenure) bool) (list []part) {
		all := j.tenures()
		for i := range all {
			t := &all[i]
			own := t.acquisition == 0 || t.acquisition >= x.ID
			if !t.of(key) || t.from.Seq > at.Seq || !own && !t.overlaps(x.Call.Seq, at.Seq) || !mine(t) {
				continue
			}
			// What an earlier acquisition of the thread had, and gave back, was not left
			// for this one.
			if p := j.part(x, t, at); own || p.how != givenBack {
				p.own = own
				list = append(list, p)
			}
		}
		return list
	}
	list := collect(func(t *tenure) bool { return j.ours(t, x) })
	if own := slices.DeleteFunc(slices.Clone(list), func(p part) bool { return !p.own }); len(own) > 0 {
		// Who goes by another name than before does not rely on what is there in that.
		list = slices.DeleteFunc(list, func(p part) bool {
			return !p.own && !slices.ContainsFunc(own, func(o part) bool { return o.name == p.name })
		})
	}
	if len(list) == 0 {
		list = collect(func(t *tenure) bool {
			return j.clientOf(t.by) == x.Client && (t.over == nil || t.over.Seq > x.Call.Seq)
		})
	}
	return list
}

func (j *judge) part(x *model.Operation, t *tenure, at model.Stamp) part {
	p := part{node: t.node, server: j.server(t.node), name: t.holder, from: t.from.At, gone: noEnd}
	if j.o.Ownership == nil {
		p.name = t.wrote.Value
	}
	var given model.Stamp
	p.until, given = j.grantedUntil(t, at.Seq)
	p.given = j.firstGiven(t, given).At
	if t.until == 0 && p.until != noEnd { // a key ends later by a clock that jumps back
		end := at.Seq
		if t.over != nil {
			end = min(end, t.over.Seq)
		}
		p.until -= min(0, j.jumped(t.node, given.Seq, end))
	}
	if t.over != nil && t.over.Seq <= at.Seq {
		p.over, p.gone = t.over, t.over.At
		p.how = j.ending(x, t, &p, given)
	}
	if ends := p.until - j.jumped(t.node, given.Seq, at.Seq); t.until != 0 && p.how == stands && ends <= at.At {
		if p.how, p.gone = ranOut, ends; p.until > at.At {
			p.how = hurried
		}
	}
	if p.how == ranOut {
		if before := j.setBackFrom(t, at.Seq); before > p.gone+rounding {
			p.how, p.until = forgotten, before
		}
	}
	switch {
	case p.how == stands:
		p.until = max(p.until, at.At+1)
	case p.how == ranOut && t.wrote.Session != "": // which was kept alive until a lease before
		p.given = max(p.given, p.gone-j.h.TTL)
	}
	return p
}

// setBackFrom is the end of a tenure before its node came back from a restart with
// an earlier state and an earlier end, as known at the event; 0 if that did not
// happen.
func (j *judge) setBackFrom(t *tenure, seq int64) (before time.Duration) {
	end, back := endIn(t, t.wrote), false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		switch {
		case o.Seq <= t.wrote.Seq || o.Place() != t.node:
		case o.Seq > seq || t.over != nil && o.Seq >= t.over.Seq:
			return before
		case o.Kind == model.Returned:
			back = true
		case o.By != (model.Origin{}):
			back = false // it has served since
			fallthrough
		default:
			if o.Key != t.key || o.Kind != model.RecordChanged {
				continue
			}
			next := endIn(t, o)
			if before = 0; back && next < end {
				before = end
			}
			end = next
		}
	}
	return before
}

// grantedUntil is the granted end of a tenure, as known at the event, and when it
// was given.
func (j *judge) grantedUntil(t *tenure, seq int64) (until time.Duration, given model.Stamp) {
	until, given = endIn(t, t.wrote), t.wrote.Stamp
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > seq || t.over != nil && o.Seq >= t.over.Seq {
			break
		}
		if o.Seq <= t.wrote.Seq || o.Place() != t.node || o.Key != t.key || o.Kind != model.RecordChanged {
			continue
		}
		if next := endIn(t, o); next != until {
			until, given = next, o.Stamp
		}
	}
	if t.until != 0 { // by the clock of the node, which may have jumped before
		until -= j.jumped(t.node, 0, given.Seq)
	}
	return until, given
}

// firstGiven is when what a tenure was granted at the given place was granted first:
// a node that comes back with an earlier state grants nothing anew.
func (j *judge) firstGiven(t *tenure, given model.Stamp) model.Stamp {
	var said *model.Observation
	for i := range j.h.Observations {
		if o := &j.h.Observations[i]; o.Seq == given.Seq {
			said = o
			break
		}
	}
	if said == nil || said.ExpiresAt == 0 {
		return given
	}
	writes := func(o *model.Observation) bool { return o.Kind == model.RecordCreated || o.Kind == model.RecordChanged }
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq >= given.Seq {
			break
		}
		if o.Place() == t.node && o.Key == t.key && writes(o) && o.Owner == said.Owner && o.Value == said.Value && o.ExpiresAt == said.ExpiresAt {
			return o.Stamp
		}
	}
	return given
}

// endIn is the end of a tenure by a write: that of its holder's share, if it has
// one, or of the key.
func endIn(t *tenure, o *model.Observation) time.Duration {
	if t.until != 0 {
		for _, l := range t.ends {
			if l.seq == o.Seq {
				return l.until
			}
		}
	}
	if o.ExpiresAt == 0 {
		return noEnd
	}
	return o.ExpiresAt
}

// ending says how a tenure ended. A key without an expiry that another client takes
// over when the requested lease has passed has run out: some locks keep the end in
// the value.
func (j *judge) ending(x *model.Operation, t *tenure, p *part, given model.Stamp) ending {
	o := t.over
	switch o.Kind {
	case model.RecordExpired:
		switch {
		case p.until <= p.from: // it came back with a node when its time was over
			p.gone = p.until
			return ranOut
		case o.At < p.until-rounding && p.until != noEnd:
			return hurried
		}
		p.until = o.At
		return ranOut
	case model.RecordDeleted, model.RecordChanged:
	case model.RecordCreated:
		if o.Key == t.key { // it had gone unseen
			return forgotten
		}
	default:
		return forgotten
	}
	if ends := p.until - j.jumped(t.node, given.Seq, o.Seq); t.until != 0 && o.At >= ends {
		if p.gone = ends; o.At < p.until {
			return hurried
		}
		return ranOut
	}
	y := j.acquisition(j.h.Operation(o.By.Op))
	switch {
	case y == nil && j.clientOf(o.By) == x.Client, y != nil && (y == x || y.ID == t.acquisition || y.ID > x.ID && sameThread(x, y)):
		if o.Kind == model.RecordChanged && j.o.Ownership == nil {
			return unclear // a holder who enters again
		}
		return givenBack
	case p.until == noEnd && t.until == 0 && t.wrote.Session == "" && o.At >= j.asked(x, o.Seq)+j.h.TTL:
		p.until = j.asked(x, o.Seq) + j.h.TTL
		p.gone = p.until
		return ranOut
	case o.Kind == model.RecordChanged && j.o.Ownership == nil && !j.takes(y, o):
		return unclear // what others write there may mean something else
	}
	return takenAway
}

// jumped is how far a node's clock has jumped ahead from one event to another.
func (j *judge) jumped(node string, from, to int64) (by time.Duration) {
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Kind == model.ClockJumped && o.Place() == node && o.Seq > from && o.Seq <= to {
			by += o.Ahead
		}
	}
	return by
}

// asked is when the acquisition last asked for a lease before the event.
func (j *judge) asked(x *model.Operation, seq int64) time.Duration {
	at := x.Call.At
	for i := x.ID; i < len(j.h.Operations); i++ {
		if op := &j.h.Operations[i]; op.Kind == model.Extend && op.Acquisition == x.ID && op.Result == model.OK && op.Call.Seq < seq {
			at = op.Call.At
		}
	}
	return at
}

// takes reports whether the observed change is the last grant of the lock to an
// acquisition.
func (j *judge) takes(y *model.Operation, o *model.Observation) bool {
	if y == nil || !acquired(y) || y.Return.Seq < o.Seq {
		return false
	}
	grant := j.grant(y, o.Key)
	return grant != nil && grant.Seq == o.Seq
}

// unlessForgotten, unlessTaken and asGranted are ends of a part of a grant, each
// without some of its losses.
func unlessForgotten(p *part) time.Duration {
	switch p.how {
	case takenAway, givenBack, unclear, ranOut:
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
func (j *judge) together(parts []part, end func(*part) time.Duration) (last time.Duration, ever bool) {
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
		if len(servers) >= j.quorum() {
			last, ever = e, true
		}
	}
	return last, ever
}

// grantedTo is when the parts end as granted on a quorum of the servers, if these ever
// granted them. If one had run out before the next was granted, it is the end of the
// one that decides, though they were never had together.
func (j *judge) grantedTo(parts []part) (ended time.Duration, ever bool) {
	if ended, ever = j.together(parts, asGranted); ever {
		return ended, true
	}
	last := map[string]time.Duration{}
	for i := range parts {
		p := &parts[i]
		last[p.server] = max(last[p.server], asGranted(p))
	}
	if len(last) < j.quorum() {
		return 0, false
	}
	ends := slices.Sorted(maps.Values(last))
	return ends[len(ends)-j.quorum()], true
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

// renewedAt is when that part of a grant was last renewed which ends at the time.
func renewedAt(parts []part, e time.Duration, end func(*part) time.Duration) (given time.Duration) {
	for i := range parts {
		if end(&parts[i]) == e {
			given = max(given, parts[i].given)
		}
	}
	return given
}
