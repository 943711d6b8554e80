package picture

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// lockRows divides the lock's keys into rows, the same for all nodes: those of the story first, and no more than there is
// room for.
func (p layout) lockRows() [][]string {
	stretches := map[string][]*story.Presence{}
	for i := range p.Presences {
		h := &p.Presences[i]
		stretches[h.Key] = append(stretches[h.Key], h)
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

// byConcern returns the lock's keys: first those written by acquisitions of the story.
func (p layout) byConcern(stretches map[string][]*story.Presence) []string {
	var first, then []string
	for _, key := range p.LockKeys {
		if slices.ContainsFunc(stretches[key], func(h *story.Presence) bool { return p.Concerns(h.Owner.Op) }) {
			first = append(first, key)
		} else {
			then = append(then, key)
		}
	}
	return append(first, then...)
}

// together reports whether two keys were on one node at the same time.
func together(a, b []*story.Presence) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Node == y.Node && x.From.Seq < y.To.Seq && y.From.Seq < x.To.Seq {
				return true
			}
		}
	}
	return false
}

// rowsOn returns the rows of a node's lane: the lock's keys, then a few others.
func (p layout) rowsOn(node string) []keyRow {
	shown := func(key string) bool {
		return slices.ContainsFunc(p.Presences, func(h story.Presence) bool { return h.Node == node && h.Key == key })
	}
	var rows []keyRow
	for _, keys := range p.lockRows() {
		if slices.ContainsFunc(keys, shown) {
			rows = append(rows, keyRow{keys: keys, lock: true})
		}
	}
	if len(rows) == 0 && len(p.LockKeys) > 0 {
		rows = append(rows, keyRow{keys: p.LockKeys[:1], lock: true})
	}
	for _, key := range p.Keys {
		if len(rows) < maxRows && !p.IsLockKey(key) && shown(key) {
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
	height, top := float64(keyHeight), float64(StripHeight+roleHeight)
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

// lifeLane returns the lane of a noun: rows for each client, or for those of the story if there are too many.
func (p layout) lifeLane(noun string) Lane {
	l := Lane{Actor: traces.Actor{Kind: traces.NodeActor}, Title: wording.Fit(wording.Printable(noun)+"s", 14), Noun: noun, Note: "by the " + p.TermsAt(p.Lives.NodeOf(noun)).Serving}
	l.Lives = p.lifeRows(noun, func(string) bool { return true })
	if len(l.Lives) > maxLifeRows {
		l.Lives = p.lifeRows(noun, func(client string) bool { return slices.Contains(p.Clients, client) })
		l.Lives = l.Lives[:min(len(l.Lives), maxLifeRows)]
	}
	l.height = max(livesTop+float64(len(l.Lives))*lifeHeight+4, StripHeight+32)
	return l
}

// lifeRows divides the lives of clients into rows without overlaps, in the order of the clients' lanes, followed by those
// without a client. There is at most one row too many; lives without room in it are left out.
func (p layout) lifeRows(noun string, of func(client string) bool) [][]int {
	rows := [][]int{}
	for _, client := range append(actorNames(p.Trace), "") {
		if !of(client) {
			continue
		}
		first := len(rows)
		for _, i := range p.Lives.OfClient[client] {
			if p.Lives.All[i].Began.Note.Noun != noun {
				continue
			}
			at := first
			for at < len(rows) && p.Lives.All[rows[at][len(rows[at])-1]].Unaware.Seq > p.Lives.All[i].From.Seq {
				at++
			}
			if at == len(rows) && at <= maxLifeRows {
				rows = append(rows, nil)
			}
			if at < len(rows) {
				rows[at] = append(rows[at], i)
			}
		}
	}
	return rows
}

// queueOn returns the maximum number of subjects that wait at a node for any of the keys at the same time, as far as there
// is room.
func (p layout) queueOn(node string, keys []string) (n int) {
	for i := range p.Lives.All {
		x := &p.Lives.All[i]
		if x.Place == model.PlaceRecord && x.Node == node && x.Slot < story.MaxQueue && slices.Contains(keys, x.Began.Note.Record) {
			n = max(n, x.Slot+1)
		}
	}
	return n
}

func actorNames(t *traces.Trace) []string {
	var names []string
	for _, a := range t.Actors {
		names = append(names, a.Name)
	}
	return names
}

// hasStrip reports whether notes are drawn in the strip of a node.
func (p layout) hasStrip(node string) bool {
	return slices.ContainsFunc(p.Trace.History.Observations, func(o model.Observation) bool {
		return o.Node == node && o.Note != nil && o.Note.Place == model.PlaceStrip
	})
}
