package simredis

import (
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/lockpick-dev/lockpick/model"
)

// start makes the node's engine, if it has none, and loads it from the
// keyspace. A replica that nobody talks to never needs one.
func (n *Node) start() *miniredis.Miniredis {
	if n.engine == nil {
		n.engine = miniredis.NewMiniRedis()
		n.engine.SetTime(n.now())
		n.engine.ClockTTL(true)
		// Dial starts the engine without a listener; the connection itself
		// is not needed, since commands are dispatched directly.
		if c, err := n.engine.Dial(); err == nil {
			_ = c.Close()
		}
		n.engine.Server().SetPreHook(n.intercept)
		n.reload()
	}
	return n.engine
}

// rebuild makes a new engine in place of the old one.
func (n *Node) rebuild() {
	n.engine = nil
	n.start()
}

// reload writes the whole keyspace into the engine.
func (n *Node) reload() {
	for _, key := range n.data.keys() {
		n.refresh(key)
	}
}

// refresh brings one key of the engine in step with the keyspace.
func (n *Node) refresh(key string) {
	if n.engine == nil {
		return
	}
	now := n.now()
	n.engine.SetTime(now)
	db := n.engine.DB(0)
	e := n.data[key]
	if e == nil || e.hidden || !e.expires.IsZero() && !e.expires.After(now) {
		db.Del(key)
		return
	}
	writeValue(n.engine, db, key, e.value)
	if !e.expires.IsZero() {
		db.SetTTL(key, e.expires.Sub(now))
	}
}

// collect compares the keys that a command may have changed with the
// keyspace, and observes and replicates what did change.
func (n *Node) collect(by model.Origin) {
	if len(n.touched) == 0 {
		return
	}
	now, db := n.now(), n.engine.DB(0)
	changed := false
	for _, key := range n.touched {
		old := n.data[key]
		v := readValue(db, key)
		if v.kind == "" && old == nil {
			continue
		}
		var expires time.Time
		if ttl := db.TTL(key); ttl > 0 {
			expires = now.Add(ttl)
		}
		if old != nil && v.equal(old.value) && expires.Equal(old.expires) {
			continue
		}
		changed = true
		n.record(key, old, v, expires, by)
	}
	n.touched = n.touched[:0]
	if changed {
		n.scheduleExpiry()
	}
}

// record enters one changed key into the keyspace.
func (n *Node) record(key string, old *entry, v value, expires time.Time, by model.Origin) {
	if v.kind == "" {
		delete(n.data, key)
		n.observeKey(model.KeyDeleted, key, old, by)
		n.replicate(effect{key: key, by: by})
		return
	}
	owner := by
	if old != nil && v.equal(old.value) {
		owner = old.owner // only the expiry has changed
	}
	e := &entry{value: v, expires: expires, owner: owner}
	n.data[key] = e
	n.observeWrite(key, old, e, by)
	n.replicate(effect{key: key, value: v, expires: expires, owner: owner, by: by})
}
