package explore

import (
	"fmt"
	"sync"
)

// Kept are worker processes that wait for their next request. To start a process takes as long
// as dozens of runs, and a counterexample needs several searches: with Kept in [Worker], a
// [Hand] that is closed leaves its process to the next Hand of an equal worker. A process that
// confirms findings is kept apart, and never confirms what it has found itself.
//
// The zero value is ready. It may be used by several goroutines, and must be closed.
type Kept struct {
	mutex  sync.Mutex
	idle   map[string][]*process
	closed bool
}

// name is equal for processes of which one may stand in for the other.
func (h *Hand) name() string {
	return fmt.Sprintf("%q %q %q %d %t %s %t", h.Command, h.Env, h.Dir, max(h.Procs, 1), h.Pipes, h.Silence, h.confirms)
}

// take returns a process that waits, nil if there is none.
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

// leave keeps a process. It answers whether it does.
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

// Close ends the processes that wait, and from now on each that a Hand leaves.
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
