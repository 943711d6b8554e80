package simkube

import (
	"slices"
	"strconv"
)

// state is what the applied entries of a log make: the leases, and all that has happened to them.
type state struct {
	revision int64
	keys     []string // sorted
	leases   map[string]*lease
	created  map[string]int64 // the revisions that have created them
	changes  []*change        // in their order
}

// change is one change of a lease, which has a revision of its own.
type change struct {
	revision int64
	old, now *lease // nil if there was none, or is none now
}

func newState() *state {
	return &state{revision: 1, leases: map[string]*lease{}, created: map[string]int64{}}
}

// put sets the lease of a key, or removes it if it is nil.
func (s *state) put(key string, l *lease) {
	i, found := slices.BinarySearch(s.keys, key)
	switch {
	case l == nil && found:
		s.keys = slices.Delete(s.keys, i, i+1)
		delete(s.leases, key)
		return
	case !found:
		s.keys = slices.Insert(s.keys, i, key)
	}
	s.leases[key] = l
}

// apply carries an operation out. Made is the change, nil if nothing has changed.
func (s *state) apply(o operation) (a answer, made *change) {
	key := o.target()
	old := s.leases[key]
	now, a := o.apply(old)
	if now == old {
		return a, nil
	}
	s.revision++
	if now != nil {
		now.Metadata.ResourceVersion = strconv.FormatInt(s.revision, 10) // the operation made it, and it is in the answer
	}
	if old == nil {
		s.created[key] = s.revision
	}
	s.put(key, now)
	made = &change{s.revision, old, now}
	s.changes = append(s.changes, made)
	return a, made
}

// list returns the leases that a filter lets pass, in the order of their keys.
func (s *state) list(f filter) []*lease {
	list := []*lease{}
	for _, key := range s.keys {
		if l := s.leases[key]; f.passes(l) {
			list = append(list, l)
		}
	}
	return list
}

// filter selects leases by their namespace and name; empty selects all.
type filter struct{ namespace, name string }

func (f filter) passes(l *lease) bool {
	return (f.namespace == "" || f.namespace == l.Metadata.Namespace) && (f.name == "" || f.name == l.Metadata.Name)
}

// cache is the watch cache of a server: what it has seen of the changes, which may be less than its
// state has.
type cache struct {
	seen  *state
	since int64 // the revision with which the cache began: earlier changes are not in it
	ready bool  // it has had a state since the server began
}

// begin makes a state what the cache knows.
func (c *cache) begin(s *state) {
	c.seen = newState()
	c.seen.revision = s.revision
	for _, key := range s.keys {
		c.seen.put(key, s.leases[key])
	}
	c.since, c.ready = s.revision, true
}

// add adds a change.
func (c *cache) add(made *change) {
	c.seen.revision = made.revision
	c.seen.changes = append(c.seen.changes, made)
	l := made.now
	if l == nil {
		l = made.old
	}
	c.seen.put(l.key(), made.now)
}
