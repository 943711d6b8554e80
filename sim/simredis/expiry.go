package simredis

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// never is the distance from which an expiry is not scheduled: no run lasts that long,
// and a time.Duration cannot be much longer.
const never = 100 * 365 * 24 * time.Hour

// expire ends the keys that have expired. A primary deletes them and informs its
// replicas; a replica only hides them.
func (n *Node) expire() {
	now := n.now()
	if n.expAt.IsZero() || n.expAt.After(now) {
		return
	}
	for _, key := range n.data.keys() {
		e := n.data[key]
		if e.hidden || !e.expired(now) {
			continue
		}
		if n.IsPrimary() {
			n.removeExpired(key)
			n.replicate()
		} else {
			e.hidden = true
			n.versions[key]++
			n.observeKey(model.RecordExpired, key, e, model.Origin{})
			n.refresh(key)
		}
	}
	n.scheduleExpiry()
}

// reveal shows hidden keys of a replica again, if its clock has gone back.
func (n *Node) reveal() {
	now := n.now()
	for _, key := range n.data.keys() {
		if e := n.data[key]; e.hidden && !e.expired(now) {
			e.hidden = false
			n.versions[key]++
			n.observeKey(model.RecordCreated, key, e, model.Origin{})
			n.refresh(key)
		}
	}
}

// scheduleExpiry makes the next expiry an event of its own, so that it is observed
// when it happens and not at the next access.
func (n *Node) scheduleExpiry() {
	var next time.Time
	if !n.Down() {
		next = n.data.nextGone()
	}
	if next.Equal(n.expAt) {
		return
	}
	n.expAt = next
	if n.expiry != nil {
		n.expiry()
		n.expiry = nil
	}
	if !next.IsZero() && next.Sub(n.now()) < never {
		n.expiry = n.world.At(n.Actor, n.clock.When(next), sim.EventWork, sim.EventOptions{}, func() {
			n.expiry = nil
			n.expire()
			n.broadcast()
		})
	}
}

// ClockJumped makes the node read its clock again after a jump: expiries are
// absolute, so the rest of every TTL changes.
func (n *Node) ClockJumped() {
	if n.Down() {
		return
	}
	n.expire()
	n.broadcast()
	n.reveal()
	n.expAt = time.Time{} // the event in the queue is at the wrong time
	n.scheduleExpiry()
}

// deadline computes the expiry of a key from an amount of a unit, from now or absolute;
// ok is false if it is out of range.
func (n *Node) deadline(amount int64, unit time.Duration, absolute bool) (at time.Time, ok bool) {
	perUnit := int64(unit / time.Millisecond)
	now := n.now().UnixMilli()
	if amount > math.MaxInt64/perUnit || amount < math.MinInt64/perUnit {
		return at, false
	}
	amount *= perUnit
	if !absolute {
		if amount > math.MaxInt64-now {
			return at, false
		}
		amount += now
	}
	return time.UnixMilli(max(amount, 0)), true // long past is past
}

func errExpireTime(r *request) string {
	return fmt.Sprintf("ERR invalid expire time in '%s' command", r.name)
}

// unitOf returns the unit in which a command counts: milliseconds if its name
// begins with a p.
func unitOf(name string) time.Duration {
	if strings.HasPrefix(name, "p") {
		return time.Millisecond
	}
	return time.Second
}

// expireIn executes EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT.
func (n *Node) expireIn(r *request) {
	has := map[string]bool{}
	for _, o := range r.args[2:] {
		switch option := strings.ToLower(o); option {
		case "nx", "xx", "gt", "lt":
			has[option] = true
		default:
			r.out.WriteError("ERR Unsupported option " + o)
			return
		}
	}
	amount, ok := integer(r.args[1])
	at, valid := n.deadline(amount, unitOf(r.name), strings.HasSuffix(r.name, "at"))
	switch {
	case has["nx"] && (has["xx"] || has["gt"] || has["lt"]):
		r.out.WriteError("ERR NX and XX, GT or LT options at the same time are not compatible")
	case has["gt"] && has["lt"]:
		r.out.WriteError("ERR GT and LT options at the same time are not compatible")
	case !ok:
		r.out.WriteError(errInteger)
	case !valid:
		r.out.WriteError(errExpireTime(r))
	default:
		e := n.lookup(r.args[0])
		if e == nil || !expiryAllowed(has, e.expires, at) {
			r.out.WriteInt(0)
			return
		}
		n.setExpiry(r, r.args[0], at)
		r.out.WriteInt(1)
	}
}

// expiryAllowed decides on EXPIRE's conditions. No expiry counts as one at infinity.
func expiryAllowed(has map[string]bool, old, at time.Time) bool {
	switch {
	case has["nx"] && !old.IsZero(), has["xx"] && old.IsZero():
		return false
	case has["gt"] && (old.IsZero() || !at.After(old)):
		return false
	case has["lt"] && !old.IsZero() && !at.Before(old):
		return false
	}
	return true
}

// setExpiry gives an existing key another expiry, zero for none. Its owner
// stays. A time that is not in the future deletes it.
func (n *Node) setExpiry(r *request, key string, at time.Time) {
	if !at.IsZero() && !at.After(n.now()) {
		n.remove(r, key)
		return
	}
	now := *n.data[key]
	now.expires = at
	n.change(key, &now, r.by())
	n.refresh(key)
}

func (n *Node) persist(r *request) {
	if e := n.lookup(r.args[0]); e == nil || e.expires.IsZero() {
		r.out.WriteInt(0)
		return
	}
	n.setExpiry(r, r.args[0], time.Time{})
	r.out.WriteInt(1)
}

// ttl is TTL, PTTL, EXPIRETIME and PEXPIRETIME. Seconds are rounded.
func (n *Node) ttl(r *request) {
	e := n.lookup(r.args[0])
	switch {
	case e == nil:
		r.out.WriteInt(-2)
		return
	case e.expires.IsZero():
		r.out.WriteInt(-1)
		return
	}
	millis := e.expires.UnixMilli()
	if strings.HasSuffix(r.name, "ttl") {
		millis = max(millis-n.now().UnixMilli(), 0)
	}
	if unitOf(r.name) == time.Second {
		millis = (millis + 500) / 1000
	}
	r.out.WriteInt(int(millis))
}
