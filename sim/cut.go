package sim

// cut is a route on which nothing passes, with what it holds.
type cut struct {
	segments []*segment
	resets   []func() // each sends a reset again
}

// route is the way from one actor to another.
type route struct{ from, to *Actor }

// Cut holds all segments from one actor to another from now on.
func (n *Network) Cut(from, to *Actor) {
	if n.sever(from, to) {
		n.world.fault(Fault{Event: Event{Actor: from.name, Peer: to.name}, Kind: FaultCut})
	}
}

// Heal ends a cut and sends on what it held, in the order in which it came.
func (n *Network) Heal(from, to *Actor) {
	if n.cuts[route{from, to}] != nil {
		n.world.fault(Fault{Event: Event{Actor: from.name, Peer: to.name}, Kind: FaultHeal})
		n.mend(from, to)
	}
}

// sever cuts a route and reports whether it was whole.
func (n *Network) sever(from, to *Actor) bool {
	r := route{from, to}
	whole := n.cuts[r] == nil
	if whole {
		n.cuts[r] = &cut{}
	}
	return whole
}

// mend makes a route whole again and sends on what was held.
func (n *Network) mend(from, to *Actor) {
	c := n.cuts[route{from, to}]
	if c == nil {
		return
	}
	delete(n.cuts, route{from, to})
	for _, s := range c.segments {
		s.due = n.world.now + n.link.Base
	}
	for _, s := range c.segments {
		if s.event.index < 0 { // else it was sent again with another
			s.pipe.resend()
		}
	}
	for _, again := range c.resets {
		again()
	}
}

// held keeps a segment back if its route is cut, and reports whether it is.
func (n *Network) held(s *segment) bool {
	c := n.cuts[route{s.pipe.from, s.pipe.to}]
	if c != nil {
		c.segments = append(c.segments, s)
	}
	return c != nil
}
