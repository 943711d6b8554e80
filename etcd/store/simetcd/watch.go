package simetcd

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// round is how often a server looks for watchers that it has to send earlier revisions.
const round = 100 * time.Millisecond

// noWatch is the number of a watch that is none, or all of a stream.
const noWatch = -1

// watchStream is a stream of a client's watches.
type watchStream struct {
	*rpc
	next     int64
	watchers []*watcher // in the order in which they came
}

// watcher is one watch.
type watcher struct {
	id       int64
	key, end string
	least    int64 // the first revision that it has not been sent
	state    watcherState
	noPut    bool
	noDelete bool
	prevKV   bool
}

type watcherState int

const (
	late      watcherState = iota // it gets earlier revisions with the next round
	present                       // it gets changes as they happen
	compacted                     // what it asked for was compacted; it gets nothing more
)

// watch handles a message of a client on its watch stream.
func (c *call) watch(r *watchRequest) {
	w := c.watches
	switch {
	case r.create != nil:
		w.create(r.create, c.task)
	case r.cancel != nil:
		w.cancel(r.cancel.id, c.task)
	case r.progress:
		w.progress(c.task)
	}
}

func (w *watchStream) find(id int64) int {
	return slices.IndexFunc(w.watchers, func(o *watcher) bool { return o.id == id })
}

// create adds a watch. It begins with the next revision if the client names none.
func (w *watchStream) create(r *watchCreate, t *sim.Task) {
	now := w.node.state.revision
	answer := &watchResponse{header: header{revision: now}, id: noWatch, created: true}
	if r.key == "" {
		r.key = infinite // the first of all keys
	}
	if r.start == 0 {
		r.start = now + 1
	}
	switch {
	case r.end != "" && r.end != infinite && r.key >= r.end:
		answer.reason = reasonEmptyRange
	case r.id != 0 && w.find(r.id) >= 0:
		answer.reason = reasonDuplicateID
	}
	if answer.reason != "" {
		answer.canceled = true
		w.send(answer, t)
		return
	}
	if r.id == 0 {
		for w.find(w.next) >= 0 {
			w.next++
		}
		r.id = w.next
		w.next++
	}
	v := &watcher{id: r.id, key: r.key, end: r.end, least: r.start, noPut: r.noPut, noDelete: r.noDelete, prevKV: r.prevKV}
	w.watchers = append(w.watchers, v)
	answer.id = r.id
	w.observeWatch(v)
	w.send(answer, t)
	if r.start > now {
		v.state = present
		return
	}
	w.node.catchUpLater()
}

// cancel ends a watch. One that there is not is not answered.
func (w *watchStream) cancel(id int64, t *sim.Task) {
	i := w.find(id)
	if i < 0 {
		return
	}
	w.watchers = slices.Delete(w.watchers, i, i+1)
	w.send(&watchResponse{header: header{revision: w.node.state.revision}, id: id, canceled: true}, t)
}

// progress sends the present revision, if all watches of the stream have been notified of it.
func (w *watchStream) progress(t *sim.Task) {
	for _, v := range w.watchers {
		if v.state != present {
			return
		}
	}
	if len(w.watchers) > 0 {
		w.send(&watchResponse{header: header{revision: w.node.state.revision}, id: noWatch}, t)
	}
}

// notify notifies watchers of the changes of a transaction.
func (n *Node) notify(made []*keyValue) {
	if len(made) == 0 {
		return
	}
	n.eachWatcher(func(w *watchStream, v *watcher) {
		if v.state == present {
			w.show(v, made)
		}
	})
}

// eachWatcher calls a function for all watchers, in the order in which they came.
func (n *Node) eachWatcher(f func(w *watchStream, v *watcher)) {
	for _, r := range slices.Clone(n.calls) {
		if r.watches == nil {
			continue
		}
		for _, v := range slices.Clone(r.watches.watchers) {
			f(r.watches, v)
		}
	}
}

// show notifies a watcher of those changes that it is for.
func (w *watchStream) show(v *watcher, made []*keyValue) {
	s := w.node.state
	var events []event
	for _, kv := range made {
		if !within(kv.key, v.key, v.end) || kv.mod < v.least || kv.deleted() && v.noDelete || !kv.deleted() && v.noPut {
			continue
		}
		e := event{kv: kv}
		if v.prevKV {
			e.prev = s.before(kv)
		}
		events = append(events, e)
		w.observeEvent(v, kv)
	}
	v.least = max(v.least, s.revision+1)
	if len(events) > 0 {
		w.send(&watchResponse{header: header{revision: s.revision}, id: v.id, events: events}, nil)
	}
}

// catchUpLater schedules the next round.
func (n *Node) catchUpLater() {
	if n.syncing != nil {
		return
	}
	at := n.world.Now().Truncate(round) + round
	n.syncing = n.world.At(n.Actor, at, sim.EventWork, sim.EventOptions{}, func() {
		n.syncing = nil
		n.Do(n.catchUp)
	})
}

// catchUp sends the watchers that are late what they have missed, or reports that it was compacted.
func (n *Node) catchUp() {
	n.eachWatcher(func(w *watchStream, v *watcher) {
		switch {
		case v.state != late:
		case v.least < n.state.compacted:
			v.state = compacted
			w.send(&watchResponse{id: v.id, canceled: true, compacted: n.state.compacted}, nil)
		default:
			v.state = present
			w.show(v, n.state.since(v.least))
		}
	})
}
