package simredis

import (
	"maps"
	"slices"
	"strconv"

	"github.com/alicebob/miniredis/v2"
)

// The engine, a miniredis, executes commands on the contents of values: lists, hashes,
// sets, and strings as bytes or bits. The node itself does expiry, since miniredis ends
// a key in the millisecond in which Redis still shows it, and keeps expiries of deleted
// keys. The node also does MULTI, scripts and Pub/Sub, so that the changes of each
// command can be seen, and no command runs in a goroutine.

// start makes the node's engine, if it has none, and loads it from the keyspace. A
// node without commands never needs one.
func (n *Node) start() *miniredis.Miniredis {
	if n.engine == nil {
		n.engine = miniredis.NewMiniRedis()
		n.world.CatchUp() // the engine starts goroutines, which end at once
		// Dial starts the engine without a listener; the connection itself
		// is not needed, since commands are dispatched directly.
		if c, err := n.engine.Dial(); err == nil {
			_ = c.Close()
		}
		for _, key := range n.data.keys() {
			n.refresh(key)
		}
	}
	return n.engine
}

// dispatch executes a command by the engine.
func (n *Node) dispatch(out *output, name string, args ...string) {
	n.start().Server().Dispatch(out.Peer, append([]string{name}, args...))
}

// refresh brings one key of the engine in step with the keyspace.
func (n *Node) refresh(key string) {
	if n.engine == nil {
		return
	}
	db := n.engine.DB(0)
	db.Del(key)
	if e := n.lookup(key); e != nil {
		write(n.engine, key, e.value)
	}
}

// read reads a key from the engine. A list or the like that is empty in the engine is
// no key in Redis.
func (n *Node) read(key string) value {
	db := n.engine.DB(0)
	v := value{kind: db.Type(key)}
	switch v.kind {
	case "string":
		v.text, _ = db.Get(key) // the type was asked just now
	case "hash":
		fields, _ := db.HKeys(key) // sorted
		for _, f := range fields {
			v.items = append(v.items, f, db.HGet(key, f))
		}
	case "list":
		v.items, _ = db.List(key)
		v.items = slices.Clone(v.items)
	case "set":
		v.items, _ = db.Members(key) // sorted
	case "zset":
		scores, _ := db.SortedSet(key)
		for _, m := range slices.Sorted(maps.Keys(scores)) {
			v.items = append(v.items, m, strconv.FormatFloat(scores[m], 'g', -1, 64))
		}
	}
	if v.kind != "string" && len(v.items) == 0 {
		db.Del(key)
		v.kind = ""
	}
	return v
}

// write writes a value into the engine, where there is no such key. Errors of
// the engine's accessors are about keys of another type.
func write(m *miniredis.Miniredis, key string, v value) {
	db := m.DB(0)
	switch v.kind {
	case "string":
		_ = db.Set(key, v.text)
	case "hash":
		db.HSet(key, v.items...)
	case "list":
		_, _ = db.Push(key, v.items...)
	case "set":
		_, _ = db.SetAdd(key, v.items...)
	case "zset":
		for i := 0; i+1 < len(v.items); i += 2 {
			score, _ := strconv.ParseFloat(v.items[i+1], 64) // formatted by read
			_, _ = db.ZAdd(key, score, v.items[i])
		}
	}
}
