package simredis

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/lockpick-dev/lockpick/model"
)

// value is the content of a key in a form that can be compared, shipped and
// restored: items are a list's elements, a set's members in order, a hash's
// fields and values in turn, or a sorted set's members and scores in turn.
type value struct {
	kind  string // as TYPE says; empty if there is no such key
	text  string // of a string
	items []string
}

func (v value) equal(o value) bool {
	return v.kind == o.kind && v.text == o.text && slices.Equal(v.items, o.items)
}

// String shows the value to people.
func (v value) String() string {
	if v.kind == "string" {
		return v.text
	}
	return v.kind + "[" + strings.Join(v.items, " ") + "]"
}

// size is roughly what it takes in a replication stream.
func (v value) size() int64 {
	n := len(v.text)
	for _, i := range v.items {
		n += len(i)
	}
	return int64(n)
}

// entry is a key as a node has it.
type entry struct {
	value value
	// expires is the absolute expiry by the node's clock, zero if it has none.
	expires time.Time
	// owner is who wrote the value.
	owner model.Origin
	// hidden is set on a replica whose clock says that the key has expired:
	// it is not shown, and deleted only on the primary's word.
	hidden bool
}

// keyspace is what a node holds. It is the truth about the node; the engine
// that executes commands is kept in step with it.
type keyspace map[string]*entry

// keys are sorted.
func (k keyspace) keys() []string { return slices.Sorted(maps.Keys(k)) }

func (k keyspace) clone() keyspace {
	c := make(keyspace, len(k))
	// unordered: a copy
	for key, e := range k {
		copied := *e
		c[key] = &copied
	}
	return c
}

// nextExpiry is the earliest expiry of what is not hidden.
func (k keyspace) nextExpiry() (next time.Time) {
	// unordered: a minimum
	for _, e := range k {
		if !e.expires.IsZero() && !e.hidden && (next.IsZero() || e.expires.Before(next)) {
			next = e.expires
		}
	}
	return next
}

// readValue reads a key from the engine.
func readValue(db *miniredis.RedisDB, key string) value {
	v := value{kind: db.Type(key)}
	switch v.kind {
	case "string":
		v.text, _ = db.Get(key) // the type was asked just now
	case "hash":
		fields, _ := db.HKeys(key)
		sort.Strings(fields)
		for _, f := range fields {
			v.items = append(v.items, f, db.HGet(key, f))
		}
	case "list":
		v.items, _ = db.List(key)
		v.items = slices.Clone(v.items)
	case "set":
		v.items, _ = db.Members(key)
		sort.Strings(v.items)
	case "zset":
		scores, _ := db.SortedSet(key)
		for _, m := range slices.Sorted(maps.Keys(scores)) {
			v.items = append(v.items, m, strconv.FormatFloat(scores[m], 'g', -1, 64))
		}
	}
	return v
}

// writeValue writes a key into the engine, over what was there. Errors of the
// engine's accessors are about keys of another type, and there is none left.
func writeValue(m *miniredis.Miniredis, db *miniredis.RedisDB, key string, v value) {
	db.Del(key)
	switch v.kind {
	case "string":
		_ = db.Set(key, v.text)
	case "hash":
		db.HSet(key, v.items...)
	case "list":
		_, _ = m.Push(key, v.items...)
	case "set":
		_, _ = db.SetAdd(key, v.items...)
	case "zset":
		for i := 0; i+1 < len(v.items); i += 2 {
			score, _ := strconv.ParseFloat(v.items[i+1], 64) // formatted by readValue
			_, _ = db.ZAdd(key, score, v.items[i])
		}
	}
}
