package confirm

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// This file refuses traces that must not be run: a trace may come from anywhere, and processes are started for it. Only
// its lock, its parameters, which have checks of their own, and its numbers of clients and servers determine what is
// started.

// The maximum sizes of a plan: larger than any scenario's.
const (
	mostClients = 16
	mostNodes   = 90
	mostThreads = 8
)

// checkActors checks the clients and servers.
func (p *plan) checkActors() error {
	switch {
	case len(p.nodes) == 0:
		return cannot("it has no server")
	case len(p.clients) > mostClients:
		return cannot("it has %d clients; there may be %d", len(p.clients), mostClients)
	case len(p.nodes) > mostNodes:
		return cannot("it has %d servers; there may be %d", len(p.nodes), mostNodes)
	}
	for _, name := range slices.Concat(p.clients, p.nodes) {
		if !sim.IsName(name, sim.MaxName) {
			return cannot("%.100q is no name for a client or a server: want letters, digits, dots, hyphens and underscores", name)
		}
	}
	return nil
}

// check refuses a plan with steps of unknown actors, or steps that cannot follow each other.
func (p *plan) check() error {
	if len(p.steps) == 0 {
		return cannot("nothing happens before the violation")
	}
	c := checking{plan: p, holds: map[int]who{}, down: map[string]bool{}}
	for i := range p.steps {
		s := &p.steps[i]
		if i > 0 && s.at < p.steps[i-1].at {
			return cannot("event %d is at %s, which is before event %d", s.seq, s.at, p.steps[i-1].seq)
		}
		if err := c.step(s); err != nil {
			return err
		}
		p.lasts = max(p.lasts, s.at)
	}
	return nil
}

// checking is the state of a check.
type checking struct {
	*plan
	holds map[int]who     // who has acquired, by the operations that did
	down  map[string]bool // the nodes and clients that have died
}

func (c *checking) step(s *step) error {
	switch {
	case s.client != "" && !slices.Contains(c.clients, s.client):
		return cannot("%q is no client of the trace (event %d)", s.client, s.seq)
	case s.node != "" && s.kind != notes && !slices.Contains(c.nodes, s.node):
		return cannot("%q is no server of the trace (event %d)", s.node, s.seq)
	case s.op != nil && s.op.Thread > mostThreads:
		return cannot("%s has a thread %d; there may be %d (event %d)", s.client, s.op.Thread, mostThreads, s.seq)
	case s.kind == returned && s.op.Kind == model.Acquire && s.op.Result == model.OK:
		c.holds[s.op.ID] = s.who()
	case s.kind == call && s.op.Kind != model.Acquire && (s.asks == nil || s.op.Acquisition != 0) && c.holds[s.op.Acquisition] != s.who():
		return cannot("%s calls %s without having acquired the lock (event %d)", s.client, s.op.Kind, s.seq)
	case s.kind == accesses && (s.op == nil || c.holds[s.op.Acquisition] != s.who()):
		return cannot("%s accesses the resource without having acquired the lock (event %d)", s.client, s.seq)
	}
	return c.lives(s)
}

// lives refuses events of a process that does not run, and the start of one that does.
func (c *checking) lives(s *step) error {
	name := s.client + s.node // one of them
	switch s.kind {
	case kills, dies, pauses, resumes, hangs, wakes, promotes, call:
		if c.down[name] {
			return cannot("%s has died before its %s (event %d)", name, s.kind, s.seq)
		}
		c.down[name] = s.kind == kills || s.kind == dies
	case restarts:
		if !c.down[name] {
			return cannot("%s starts again, and has not died (event %d)", name, s.seq)
		}
		c.down[name] = false
	case follows:
		c.down[name] = false
	}
	return nil
}
