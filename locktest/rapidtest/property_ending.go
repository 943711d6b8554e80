package rapidtest

import (
	"sync"

	"pgregory.net/rapid"
)

// ending ends rapid's own shrinking with the first smaller run that fails: if a run that rapid repeats fails with another
// message, rapid gives up and keeps that run. Lockpick's shrinker does better in a few seconds than rapid in half a
// minute.
//
// Rapid makes a run that fails, repeats it, then makes smaller ones, each failing one twice, and last the smallest again
// for the report.
type ending struct {
	sync.Mutex
	first    uint64 // hash of the first run that failed
	property string // that it violated
	any      bool
	over     bool
	last     *rapid.T
}

// begins is called at the start of a run. Rapid uses one T for several runs only while it looks for a failure: the ending
// then starts over, as when a property is checked twice.
func (e *ending) begins(t *rapid.T) {
	e.Lock()
	defer e.Unlock()
	if e.last == t {
		e.any, e.over = false, false
	}
	e.last = t
}

// ending returns the ending of a test.
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

// of returns the text that a run that violates a property adds to its message: one for the first run that is smaller than
// the first of all, "" for others. Rapid itself skips a run that fails by another property.
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
