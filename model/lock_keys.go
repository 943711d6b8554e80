package model

import (
	"slices"
	"strconv"
)

// LockKeys returns the lock's keys, in the order in which they first appear. They are
// the first of these that is not empty: the keys of the records that the view's shares
// rest on, [History.Keys], and the keys that the observations show. Wherever a history
// is read, "the lock's key" means one of these. The result is nil if there is none.
func (h *History) LockKeys(view Ownership) []string {
	switch {
	case view != nil:
		return h.sharedBy(view)
	case h.Keys != nil:
		return h.Keys
	}
	return h.shownKeys()
}

// sharedBy returns the keys of the authorities' records that shares have rested on.
// Records that the view cannot read grant nothing.
func (h *History) sharedBy(view Ownership) (keys []string) {
	var all Records
	for i := range h.Observations {
		o := &h.Observations[i]
		if !all.See(o) || o.Authority == "" {
			continue
		}
		shares, err := view.Shares(all.At(o.Place()))
		if err != nil {
			continue
		}
		for _, s := range shares {
			if !slices.Contains(keys, s.Key) {
				keys = append(keys, s.Key)
			}
		}
	}
	return keys
}

// shownKeys returns the keys that each belong to one acquisition at a time, as far as
// the history shows them; nil if it shows none.
//
// Only a key that an Acquire creates at an authority can be one. Two sorts are
// excluded: a key that a Release creates, which exists while the lock is free; and a
// key that several acquisitions share, such as a counter, a queue or a set of permits:
// it is a list or a set, or another acquisition adds to its value.
//
// Of the others it returns the one with the lock's own name ([History.LockName]) and
// each that a Release removes for the acquisition that created it. If there is none, it
// returns those that have an expiry, since a counter has none; and if there is none of
// these either, all.
func (h *History) shownKeys() []string {
	keys := h.storedKeys()
	for _, is := range []func(*storedKey) bool{
		func(k *storedKey) bool { return k.name == h.LockName || k.released },
		func(k *storedKey) bool { return k.expires },
		func(*storedKey) bool { return true },
	} {
		var found []string
		for i := range keys {
			if k := &keys[i]; k.acquired && !k.frees && !k.shared && is(k) {
				found = append(found, k.name)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// storedKey is what a history shows of a key.
type storedKey struct {
	name string
	// acquired is set if an Acquire creates it, frees if a Release does.
	acquired, frees bool
	// shared is set if several acquisitions share it.
	shared bool
	// expires is set if it has an expiry at any time, and released if a Release removes
	// it for the acquisition that created it.
	expires, released bool
	// last has its last observation at each authority.
	last []*Observation
}

// storedKeys are the keys of the authorities, in the order in which they were first
// seen.
func (h *History) storedKeys() []storedKey {
	var keys []storedKey
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Authority == "" || o.Key == "" {
			continue
		}
		n := slices.IndexFunc(keys, func(k storedKey) bool { return k.name == o.Key })
		if n < 0 {
			n = len(keys)
			keys = append(keys, storedKey{name: o.Key})
		}
		keys[n].see(h, o)
	}
	return keys
}

func (k *storedKey) see(h *History, o *Observation) {
	before := slices.IndexFunc(k.last, func(x *Observation) bool { return x.Place() == o.Place() })
	by := h.Operation(o.By.Op)
	switch o.Kind {
	case RecordCreated:
		owner := h.Operation(o.Owner.Op)
		k.acquired = k.acquired || owner != nil && owner.Kind == Acquire
		k.frees = k.frees || owner != nil && owner.Kind == Release && !h.seenBefore(o)
	case RecordChanged:
		k.shared = k.shared || before >= 0 && h.another(k.last[before].Owner, o.By) && adds(k.last[before], o)
	case RecordDeleted:
		own := by != nil && by.Kind == Release && h.Operation(o.Owner.Op) != nil
		k.released = k.released || own && h.Operation(o.Owner.Op).Acquisition == by.Acquisition
	}
	k.shared = k.shared || o.Type == "list" || o.Type == "set" || o.Type == "zset"
	k.expires = k.expires || o.ExpiresAt != 0
	if before < 0 {
		k.last = append(k.last, o)
		return
	}
	k.last[before] = o
}

// seenBefore reports whether the key's value was written before, and returned with a
// node.
func (h *History) seenBefore(o *Observation) bool {
	return slices.ContainsFunc(h.Observations, func(before Observation) bool {
		return before.Seq < o.Seq && before.Key == o.Key && before.Owner == o.Owner
	})
}

// another reports whether two requests are known to be of different threads.
func (h *History) another(a, b Origin) bool {
	x, y := h.Operation(a.Op), h.Operation(b.Op)
	if x == nil || y == nil {
		return a.Client != "" && b.Client != "" && a.Client != b.Client
	}
	return x.Client != y.Client || x.Thread != y.Thread
}

// uncounted is greater than any counter: numbers from there on are times, which may
// differ by one as well.
const uncounted = 1e9

// adds reports whether a value adds to an earlier one: a number that is greater by one,
// or a hash that still has all fields.
func adds(before, o *Observation) bool {
	was, is := before.Stored(), o.Stored()
	if was.Type != is.Type {
		return false
	}
	if is.Type == "string" {
		m, err := strconv.ParseInt(was.Text, 10, 64)
		n, failed := strconv.ParseInt(is.Text, 10, 64)
		counts := before.ExpiresAt == 0 && o.ExpiresAt == 0 // a value that expires is a token, not a counter
		return counts && err == nil && failed == nil && n == m+1 && n < uncounted
	}
	had, has := was.Names(), is.Names()
	return len(has) > len(had) && !slices.ContainsFunc(had, func(name string) bool { return !slices.Contains(has, name) })
}
