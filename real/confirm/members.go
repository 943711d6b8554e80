package confirm

import (
	"errors"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// leaders returns the members that lead, in their order.
func (p *plan) leaders() []string {
	list := []string{p.nodes[0]}
	for i := range p.steps {
		if s := &p.steps[i]; s.kind == promotes {
			list = append(list, s.node)
		}
	}
	return list
}

// ofMember carries out a step of a member of an ensemble, or of the network. Leadership transfers, elections and starts
// take members a while, in which requests outside the order go on.
func (d *driver) ofMember(m Members, s *step) (done bool, err error) {
	if d.under == nil {
		if s.kind != restarts && s.kind != promotes {
			d.happened(s)
		}
		sides := d.partition.Load()
		d.under = make(chan error, 1)
		go func() { d.under <- carryOut(m, s, sides) }()
	}
	select {
	case err := <-d.under:
		d.under = nil
		if err == nil && (s.kind == restarts || s.kind == promotes) {
			d.happened(s)
		}
		if err == nil && s.kind == promotes {
			d.elected(s.node, m.Extension())
		}
		if another := (*Divergence)(nil); errors.As(err, &another) {
			err = d.diverged(another.Reason)
		}
		return err == nil, err
	default:
		return false, nil
	}
}

// turnsAway reports whether a request is the first one of a connection to a member that turns clients away for lack of a
// leader.
func (d *driver) turnsAway(r *request) bool {
	m, are := d.servers.(Members)
	return are && d.failing && r.last == nil && m.TurnsAway(r.Node)
}

// passed returns how much of the trace's time has passed.
func (d *driver) passed() time.Duration { return time.Since(d.Began) - d.slow - d.behind }

// due returns the time until a step's turn. Steps caused by a client's own timers do not wait for delayed members.
func (d *driver) due(s *step) time.Duration {
	switch s.kind {
	case executes, sends, takes, answers, loses, hears, misses, expires, returned:
		return s.at - time.Since(d.Began) + d.slow
	}
	return s.at - d.passed()
}

// delay postpones all later steps if a step took longer than in the trace. Changes of records before a first call returns
// wait for clients that connect, and leases begin with them. Starts of members, elections and ends of sessions take their own time, and
// clients keep their distance to that.
func (d *driver) delay(s *step) {
	late := d.passed() - s.at
	switch {
	case late <= margin:
	case s.kind == takes && !slices.ContainsFunc(d.steps[:d.position], func(o step) bool { return o.kind == returned }):
		d.slow += late
	case d.failing && (s.kind == promotes || s.kind == restarts || s.kind == expires):
		d.behind += late
	}
}

// happened records an event of a member, or of the network.
func (d *driver) happened(s *step) {
	d.Observe(*s.seen)
	switch s.kind {
	case kills:
		d.authority[s.node] = false
	case restarts, promotes:
		d.seat(s.node)
	case hangs, wakes:
		d.hung[s.node] = s.kind == hangs
	case parts, unites:
		d.part(s)
	}
}

// carryOut carries out a step of a member or of the network.
func carryOut(m Members, s *step, sides *model.Sides) error {
	switch s.kind {
	case kills:
		return m.Kill(s.node)
	case restarts:
		return m.Restart(s.node)
	case promotes:
		return m.Promote(s.node)
	case hangs, wakes:
		return m.Hang(s.node, s.kind == hangs)
	}
	if sides == nil {
		return m.Divide(nil)
	}
	return m.Divide(func(from, to string) bool { return apart(sides, from, to) })
}
