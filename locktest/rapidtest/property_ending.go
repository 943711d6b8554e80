package rapidtest

import (
	"sync"

	"pgregory.net/rapid"
)

// ending ends rapid's own shrinking with the first smaller run that fails: rapid gives up
// where a run that it repeats fails with another message, and keeps that run. What rapid
// would try for half a minute, Lockpick's shrinker does better in a few seconds.
//
// Rapid makes a run that fails, the same again, then smaller ones, each that fails twice,
// and last the smallest again for the report.
type ending struct {
	sync.Mutex
	first    uint64 // hash of the first run that failed
	property string // that it violated
	any      bool
	over     bool
	last     *rapid.T
}

// begins is called as a run begins. Only while it looks for a failure has rapid one T for
// several runs: then it begins anew, as when a property is checked twice.
func (e *ending) begins(t *rapid.T) {
	e.Lock()
	defer e.Unlock()
	if e.last == t {
		e.any, e.over = false, false
	}
	e.last = t
}

// ending is that of a test.
func (p *property) ending(test string) *ending {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.ends[test]
	if e == nil {
		e = &ending{}
		p.ends[test] = e
	}
	return e
}

// of is what a run that violates a property adds to its message: something for the first one that is smaller
// than the first of all, nothing for others. Rapid skips a run that fails by another property anyway.
func (e *ending) of(r *drawn, property string) string {
	e.Lock()
	defer e.Unlock()
	hash := r.outcome.Hash
	switch {
	case !e.any:
		e.any, e.first, e.property = true, hash, property
	case !e.over && hash != e.first && property == e.property:
		e.over = true
		return ", also in a smaller run"
	}
	return ""
}
