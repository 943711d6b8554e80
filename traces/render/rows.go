package render

import "slices"

// keyRow is a row of a node's lane. Its keys are never there at the same time.
type keyRow struct {
	keys []string
	// top is where it begins in the lane. A lock's row shows what is left of the
	// record's time.
	top, height float64
	lock        bool
	// queue is how many stripes it has below it, of sessions that wait for its keys.
	queue int
}

// has reports whether the row shows a key.
func (r *keyRow) has(key string) bool { return slices.Contains(r.keys, key) }

// bottom is where it ends in the lane, with its queue.
func (r *keyRow) bottom() float64 { return r.top + r.height + float64(r.queue)*stripeHeight }

// rowOf is the row of a key, or nil.
func (l *lane) rowOf(key string) *keyRow {
	for i := range l.rows {
		if l.rows[i].has(key) {
			return &l.rows[i]
		}
	}
	return nil
}

// lockRows divides the lock's keys into rows, the same for all nodes: those that the
// story is about first, and no more than there is room for.
func (p *picture) lockRows() [][]string {
	stretches := map[string][]*presence{}
	for i := range p.presences {
		h := &p.presences[i]
		stretches[h.key] = append(stretches[h.key], h)
	}
	var rows [][]string
	for _, key := range p.byConcern(stretches) {
		i := slices.IndexFunc(rows, func(row []string) bool {
			return !slices.ContainsFunc(row, func(other string) bool { return together(stretches[key], stretches[other]) })
		})
		switch {
		case i >= 0:
			rows[i] = append(rows[i], key)
		case len(rows) < maxRows:
			rows = append(rows, []string{key})
		}
	}
	return rows
}

// byConcern are the lock's keys: first those that acquisitions have written which the
// story is about.
func (p *picture) byConcern(stretches map[string][]*presence) []string {
	var first, then []string
	for _, key := range p.lockKeys {
		if slices.ContainsFunc(stretches[key], func(h *presence) bool { return p.concerns(h.owner.Op) }) {
			first = append(first, key)
		} else {
			then = append(then, key)
		}
	}
	return append(first, then...)
}

// together reports whether two keys were on one node at the same time.
func together(a, b []*presence) bool {
	for _, x := range a {
		for _, y := range b {
			if x.node == y.node && x.from.Seq < y.to.Seq && y.from.Seq < x.to.Seq {
				return true
			}
		}
	}
	return false
}

// rowsOn are the rows of a node's lane: the lock's keys, then a few others.
func (p *picture) rowsOn(node string) []keyRow {
	shown := func(key string) bool {
		return slices.ContainsFunc(p.presences, func(h presence) bool { return h.node == node && h.key == key })
	}
	var rows []keyRow
	for _, keys := range p.lockRows() {
		if slices.ContainsFunc(keys, shown) {
			rows = append(rows, keyRow{keys: keys, lock: true})
		}
	}
	if len(rows) == 0 && len(p.lockKeys) > 0 {
		rows = append(rows, keyRow{keys: p.lockKeys[:1], lock: true})
	}
	for _, key := range p.keys {
		if len(rows) < maxRows && !p.isLockKey(key) && shown(key) {
			rows = append(rows, keyRow{keys: []string{key}, lock: len(rows) == 0})
		}
	}
	for i := range rows {
		rows[i].queue = p.queueOn(node, rows[i].keys)
	}
	return placed(rows)
}

// placed gives each row its place. A lock's keys have less room each if they need
// several rows.
func placed(rows []keyRow) []keyRow {
	height, top := float64(keyHeight), float64(stripHeight+roleHeight)
	if len(rows) > 1 && rows[1].lock {
		height = smallKeyHeight
	}
	for i := range rows {
		r := &rows[i]
		r.top, r.height = top, extraHeight
		if r.lock {
			r.height = height
		}
		top = r.bottom()
	}
	return rows
}
