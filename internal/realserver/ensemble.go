package realserver

import "sync/atomic"

// Ensemble is the set of members that run and hear each other. In its zero value all do. Values do not change.
type Ensemble struct {
	out map[string]bool // those that do not run, or hang
	// Apart reports whether the network holds messages from one member to another; nil holds nothing.
	Apart func(from, to string) bool
}

// With returns the ensemble with a member out of it, or back in it.
func (e Ensemble) With(member string, out bool) Ensemble {
	new := Ensemble{out: map[string]bool{member: out}, Apart: e.Apart}
	for m, is := range e.out { // unordered: into a map
		if m != member {
			new.out[m] = is
		}
	}
	return new
}

// Out reports whether a member does not run, or hangs.
func (e Ensemble) Out(member string) bool { return e.out[member] }

// Hear reports whether two members run and hear each other.
func (e Ensemble) Hear(a, b string) bool {
	return !e.out[a] && !e.out[b] && (a == b || e.Apart == nil || !e.Apart(a, b) && !e.Apart(b, a))
}

// CanLead reports whether a member of several can lead: it runs, and hears a majority, which hears it.
func (e Ensemble) CanLead(members []string, member string) bool {
	hears := 0
	for _, m := range members {
		if e.Hear(member, m) {
			hears++
		}
	}
	return 2*hears > len(members)
}

// Network is the state of a network between members that holds messages; its zero value holds nothing. It is safe for
// concurrent use.
type Network struct {
	held atomic.Pointer[func(from, to string) bool]
}

// Hold makes the network hold messages from one member to another for which held returns true, until the next call. Nil
// holds nothing.
func (n *Network) Hold(held func(from, to string) bool) {
	if held == nil {
		n.held.Store(nil)
		return
	}
	n.held.Store(&held)
}

// Holds reports whether messages from one member to another are held.
func (n *Network) Holds(from, to string) bool {
	held := n.held.Load()
	return held != nil && (*held)(from, to)
}
