package zookeeper

import (
	"encoding/binary"
	"sync"
)

// manyAtOnce is the reason why a run with overlapping requests on one connection may not
// repeat.
const manyAtOnce = "several goroutines make requests on one zk.Conn at once, which fail in the order of a map when its connection breaks: " +
	"give each goroutine a zk.Conn of its own (zookeeper.Connect), or let them make their requests one at a time"

// requests tracks the unanswered requests that callers of the library have sent on a
// connection.
type requests struct {
	mu       sync.Mutex
	began    bool // the first frame, which asks for the session, was sent
	underWay map[int32]bool
	read     bool  // a message was read
	answer   frame // the one being read
	onEvent  func(event []byte)
}

// Operations that the library makes by itself.
const (
	opSetWatches  int32 = 101
	opSetWatches2 int32 = 105
	opClose       int32 = -11
)

// sent notes a frame that the client writes, and returns how many requests are under way. First
// is set if the frame asks for the session, which is not a request.
func (r *requests) sent(b []byte) (underWay int, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	const size, xid, op = 4, 4, 4
	if first = !r.began; first || len(b) < size+xid+op {
		r.began = true
		return 0, first
	}
	number := int32(binary.BigEndian.Uint32(b[size:]))
	if code := operation(b); number <= 0 || setsWatches(code) || code == opClose {
		return 0, false
	}
	if r.underWay == nil {
		r.underWay = map[int32]bool{}
	}
	r.underWay[number] = true
	return len(r.underWay), false
}

// answered notes data that the client reads.
func (r *requests) answered(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(b) > 0 {
		var whole bool
		if b, whole = r.answer.read(b); whole {
			number := r.answer.number()
			if delete(r.underWay, number); number == eventNumber && r.onEvent != nil {
				r.onEvent(r.answer.event)
			}
			r.answer, r.read = frame{}, true
		}
	}
}

// between reports whether a message was read, and no part of the next.
func (r *requests) between() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read && r.answer.at == 0
}

// frame is a frame being read: its size and number, as far as they are known, and how much
// of it was read; of an event, also its contents.
type frame struct {
	head  [8]byte
	at    int
	event []byte
}

// read takes the bytes of the frame, and returns the rest.
func (f *frame) read(b []byte) (rest []byte, whole bool) {
	for len(b) > 0 && f.at < len(f.head) {
		f.head[f.at] = b[0]
		f.at++
		b = b[1:]
		if f.at == 4 && f.size() == 4 {
			return b, true // there is nothing in it
		}
	}
	if f.at < len(f.head) {
		return nil, false
	}
	n := min(len(b), f.size()-f.at)
	if f.number() == eventNumber {
		f.event = append(f.event, b[:n]...)
	}
	f.at += n
	return b[n:], f.at == f.size()
}

// number returns the number of the request that the frame answers.
func (f *frame) number() int32 { return int32(binary.BigEndian.Uint32(f.head[4:])) }

// size returns the size of the whole frame, once its first four bytes are known.
func (f *frame) size() int { return 4 + int(binary.BigEndian.Uint32(f.head[:])) }
