package explore

import (
	"fmt"
	"sync"
)

// Kept has worker processes that wait for their next request. Starting a process takes as long
// as dozens of runs, and a counterexample needs several searches. With [Worker].Kept, a [Hand]
// that is closed leaves its process to the next Hand of an equal worker. A process that
// confirms findings is used only for that, so it never confirms its own findings.
//
// The zero value is ready. It may be used by several goroutines, and must be closed.
type Kept struct {
	mutex  sync.Mutex
	idle   map[string][]*process
	closed bool
}

// name returns the same text for processes that may replace each other.
func (h *Hand) name() string {
	return fmt.Sprintf("%q %q %q %d %t %s %t", h.Command, h.Env, h.Dir, max(h.Procs, 1), h.Pipes, h.Silence, h.confirms)
}

// take returns a waiting process, or nil.
func (k *Kept) take(name string) *process {
	if k == nil {
		return nil
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	list := k.idle[name]
	if len(list) == 0 {
		return nil
	}
	p := list[len(list)-1]
	k.idle[name] = list[:len(list)-1]
	return p
}

// leave keeps a process for later, and reports whether it did.
func (k *Kept) leave(name string, p *process) bool {
	if k == nil {
		return false
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.closed {
		return false
	}
	if k.idle == nil {
		k.idle = map[string][]*process{}
	}
	k.idle[name] = append(k.idle[name], p)
	return true
}

// Close ends the waiting processes, and from now on each process that a Hand leaves.
func (k *Kept) Close() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.closed = true
	for _, list := range k.idle { // unordered: each ends by itself
		for _, p := range list {
			p.close()
		}
	}
	k.idle = nil
}
