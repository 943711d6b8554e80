package simzk

import "slices"

// Event types and states of watches' notifications.
const (
	eventCreated         int32 = 1
	eventDeleted         int32 = 2
	eventDataChanged     int32 = 3
	eventChildrenChanged int32 = 4

	stateConnected int32 = 3
)

type watchKind uint8

const (
	dataWatch  watchKind = iota // by getData and exists
	childWatch                  // by getChildren
)

// watches are those that are set at one server. A watcher is a connection. It
// is notified once: a watch is gone when it has fired.
type watches[W comparable] struct {
	set map[watched][]W // in the order in which they were set
}

// watched is what a watch is for.
type watched struct {
	kind watchKind
	path string
}

// notice is the notification of a watcher of an event.
type notice[W comparable] struct {
	to   W
	kind int32 // the type of the event
	path string
}

func newWatches[W comparable]() *watches[W] { return &watches[W]{set: make(map[watched][]W)} }

// add sets a watch, unless the watcher has it, and appends it to those that were set.
func (w *watches[W]) add(set []watched, kind watchKind, path string, to W) []watched {
	at := watched{kind, path}
	if slices.Contains(w.set[at], to) {
		return set
	}
	w.set[at] = append(w.set[at], to)
	return append(set, at)
}

// after sets the watch that a read with this outcome sets, if it asked for one.
func (w *watches[W]) after(r *request, c code, to W) (set []watched) {
	if !r.watch {
		return nil
	}
	switch r.op {
	case opExists:
		if c == codeOK || c == codeNoNode {
			return w.add(nil, dataWatch, r.path, to)
		}
	case opGetData:
		if c == codeOK {
			return w.add(nil, dataWatch, r.path, to)
		}
	case opGetChildren, opGetChildren2:
		if c == codeOK {
			return w.add(nil, childWatch, r.path, to)
		}
	}
	return nil
}

// trigger removes the watches that a change fires, and returns the
// notifications of their watchers.
func (w *watches[W]) trigger(c change) (notices []notice[W]) {
	switch c.kind {
	case created:
		notices = w.fire(notices, dataWatch, c.node, eventCreated)
		notices = w.fire(notices, childWatch, c.parent, eventChildrenChanged)
	case deleted:
		notices = w.fire(notices, dataWatch, c.node, eventDeleted)
		notices = w.fire(notices, childWatch, c.node, eventDeleted)
		notices = w.fire(notices, childWatch, c.parent, eventChildrenChanged)
	case dataChanged:
		notices = w.fire(notices, dataWatch, c.node, eventDataChanged)
	}
	return notices
}

// fire removes the watches of a kind on a znode, and notifies those watchers that
// have not been notified of the same, if the znode may be read. (Since 3.8.4, and
// in Debian's 3.8.0 before, servers notify nobody otherwise, and still remove the
// watches.)
func (w *watches[W]) fire(notices []notice[W], kind watchKind, n *znode, event int32) []notice[W] {
	at := watched{kind, n.path}
	if allows(n.acl, permRead) {
		for _, to := range w.set[at] {
			if one := (notice[W]{to, event, n.path}); !slices.Contains(notices, one) {
				notices = append(notices, one)
			}
		}
	}
	delete(w.set, at)
	return notices
}

// restore sets the watches of a client that has reconnected. It returns those, and what
// happened since the client's last zxid; the watches for that are not set.
func (w *watches[W]) restore(s *state, r *request, to W) (set []watched, missed []notice[W]) {
	miss := func(event int32, path string) { missed = append(missed, notice[W]{to, event, path}) }
	for _, path := range r.dataWatches {
		switch n := s.node(path); {
		case n == nil:
			miss(eventDeleted, path)
		case n.mzxid > r.lastZxid:
			miss(eventDataChanged, path)
		default:
			set = w.add(set, dataWatch, path, to)
		}
	}
	for _, path := range r.existWatches {
		if s.node(path) != nil {
			miss(eventCreated, path)
		} else {
			set = w.add(set, dataWatch, path, to)
		}
	}
	for _, path := range r.childWatches {
		switch n := s.node(path); {
		case n == nil:
			miss(eventDeleted, path)
		case n.pzxid > r.lastZxid:
			miss(eventChildrenChanged, path)
		default:
			set = w.add(set, childWatch, path, to)
		}
	}
	return set, missed
}

// forget removes all watches of a watcher.
func (w *watches[W]) forget(to W) {
	// unordered: each entry by itself
	for at, watchers := range w.set {
		watchers = slices.DeleteFunc(watchers, func(other W) bool { return other == to })
		if len(watchers) == 0 {
			delete(w.set, at)
		} else {
			w.set[at] = watchers
		}
	}
}
