package confirm

import "github.com/lockpick-dev/lockpick/model"

// ofMember is a step of a member of an ensemble, or of the network. To transfer the leadership, to elect and to start take members a
// while, in which what is not in the order goes on.
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
		return err == nil, err
	default:
		return false, nil
	}
}

// happened notes what happens to a member, or to the network.
func (d *driver) happened(s *step) {
	d.observe(*s.seen)
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

// carryOut makes it happen.
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
