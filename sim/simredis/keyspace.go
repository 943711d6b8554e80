package simredis

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// value is the content of a key in a form that can be compared, shipped and
// restored: items are a list's elements, a set's members in order, a hash's
// fields and values in turn, or a sorted set's members and scores in turn.
type value struct {
	kind  string // as TYPE answers; empty if there is no such key
	text  string // of a string
	items []string
}

// text returns the value of a string key.
func text(s string) value { return value{kind: "string", text: s} }

func (v value) equal(o value) bool {
	return v.kind == o.kind && v.text == o.text && slices.Equal(v.items, o.items)
}

// String shows the value to the reader.
func (v value) String() string {
	if v.kind == "string" {
		return v.text
	}
	return v.kind + "[" + strings.Join(v.items, " ") + "]"
}

// size returns its approximate size in a replication stream.
func (v value) size() int64 {
	n := len(v.text)
	for _, i := range v.items {
		n += len(i)
	}
	return int64(n)
}

// entry is a key as a node has it. Entries in a keyspace are immutable, except for
// hidden.
type entry struct {
	value value
	// expires is the absolute expiry by the node's clock, a whole millisecond;
	// zero if it has none.
	expires time.Time
	// owner is the writer of the value.
	owner model.Origin
	// hidden is set on a replica if the key has expired by its clock: it is not shown,
	// and deleted only when the primary deletes it.
	hidden bool
}

// gone returns the first millisecond in which the key does not exist any more; zero if
// it has no expiry. Redis shows a key until its clock is past the expiry, so that a key
// never lives shorter than its time to live.
func (e *entry) gone() time.Time {
	if e.expires.IsZero() {
		return e.expires
	}
	return e.expires.Add(time.Millisecond)
}

// expired reports whether the key is gone by now.
func (e *entry) expired(now time.Time) bool { return !e.expires.IsZero() && now.After(e.expires) }

// same reports whether the two are the same write of the same value.
func (e *entry) same(o *entry) bool { return e.owner == o.owner && e.value.equal(o.value) }

// keyspace is the data of a node. The engine that executes commands is kept in step
// with it.
type keyspace map[string]*entry

// keys are sorted.
func (k keyspace) keys() []string { return slices.Sorted(maps.Keys(k)) }

// clone returns a copy that can go to another node.
func (k keyspace) clone() keyspace {
	c := make(keyspace, len(k))
	// unordered: a copy
	for key, e := range k {
		copied := *e
		c[key] = &copied
	}
	return c
}

// nextGone returns when the next of the keys that are not hidden will be gone.
func (k keyspace) nextGone() (next time.Time) {
	// unordered: a minimum
	for _, e := range k {
		if g := e.gone(); !g.IsZero() && !e.hidden && (next.IsZero() || g.Before(next)) {
			next = g
		}
	}
	return next
}
