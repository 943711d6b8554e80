package zookeeper

import (
	"encoding/binary"
	"sync"
)

// twins and expired are the reasons why a run in which one message wakes several goroutines may
// not repeat.
const (
	remedy = "in an order that is up to Go's scheduler: give each goroutine a zk.Conn of its own (zookeeper.Connect)"
	twins  = "several goroutines watch one node over one zk.Conn, and its event wakes them all, " + remedy
	// expired: the library then ends all watches.
	expired = "several goroutines watch nodes over one zk.Conn whose session has expired, which wakes them all, " + remedy
)

// watched has the nodes that a client watches, over all its connections: watches that it has
// set and that have not fired.
type watched struct {
	mu    sync.Mutex
	paths map[string]bool
}

// Operations that may set a watch, with its flag as their last byte.
const (
	opExists       int32 = 3
	opGetData      int32 = 4
	opGetChildren  int32 = 8
	opGetChildren2 int32 = 12
)

// eventNumber is the number of a notification of a watch.
const eventNumber int32 = -1

// ask notes the watch of a request. Twice is set if the client has the same watch
// already.
func (w *watched) ask(frame []byte) (twice bool) {
	const header = 12 // size, number and operation
	if len(frame) <= header || frame[len(frame)-1] != 1 {
		return false
	}
	switch operation(frame) {
	case opExists, opGetData, opGetChildren, opGetChildren2:
	default:
		return false
	}
	path, whole := text(frame[header:])
	if !whole {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paths == nil {
		w.paths = map[string]bool{}
	}
	twice = w.paths[path]
	w.paths[path] = true
	return twice
}

// onEvent notes an event: a message without its size and its number.
func (w *watched) onEvent(event []byte) {
	const header = 20 // transaction, error, type, state
	if len(event) < header {
		return
	}
	if path, whole := text(event[header:]); whole {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.paths, path)
	}
}

// end ends all watches, and returns their number.
func (w *watched) end() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n = len(w.paths)
	clear(w.paths)
	return n
}

// text reads a text preceded by its length.
func text(b []byte) (s string, whole bool) {
	if len(b) < 4 {
		return "", false
	}
	size := binary.BigEndian.Uint32(b)
	if b = b[4:]; uint64(size) > uint64(len(b)) {
		return "", false
	}
	return string(b[:size]), true
}
