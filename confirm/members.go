package confirm

import "github.com/lockpick-dev/lockpick/model"

// ofMember is a step of a member of an ensemble, or of the network. Members may hand over who leads, elect, or start, which takes
// a while. Meanwhile what is not in the order goes on.
func (d *driver) ofMember(m Members, s *step) (done bool, err error) {
	if d.under == nil {
		if s.kind != restarts && s.kind != promotes {
			d.befalls(s)
		}
		sides := d.partition.Load()
		d.under = make(chan error, 1)
		go func() { d.under <- actOn(m, s, sides) }()
	}
	select {
	case err := <-d.under:
		d.under = nil
		if err == nil && (s.kind == restarts || s.kind == promotes) {
			d.befalls(s)
		}
		if err == nil && s.kind == promotes {
			d.elected(s.node, m.Longer())
		}
		return err == nil, err
	default:
		return false, nil
	}
}

// befalls notes what happens to a member, or to the network.
func (d *driver) befalls(s *step) {
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

// actOn makes it happen.
func actOn(m Members, s *step, sides *model.Sides) error {
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
