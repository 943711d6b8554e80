package realserver

import "sync/atomic"

// Ensemble says which members of one run and hear each other. Its zero value is one in which all do. Values do not change.
type Ensemble struct {
	out map[string]bool // those that do not run, or hang
	// Apart reports whether the network holds what one member sends another; nil holds nothing.
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

// Network is what a network between members holds; its zero value holds nothing. Several goroutines may use it.
type Network struct {
	held atomic.Pointer[func(from, to string) bool]
}

// Hold has what one member sends another held if held says so, until it is called again. Nil holds nothing.
func (n *Network) Hold(held func(from, to string) bool) {
	if held == nil {
		n.held.Store(nil)
		return
	}
	n.held.Store(&held)
}

// Holds reports whether what one member sends another is held.
func (n *Network) Holds(from, to string) bool {
	held := n.held.Load()
	return held != nil && (*held)(from, to)
}
