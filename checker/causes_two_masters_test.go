package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// elected promotes a node by the decision of an epoch; 0 is that of a fault.
func (s *script) elected(node string, epoch int64) {
	s.see(model.Observation{Kind: model.Promoted, Node: node, Authority: node, Epoch: epoch})
}

// before is a grant of r1 that has been given back: r1 has served.
func (s *script) before() {
	s.h.TTL = lease
	a := s.acquire("c3")
	s.grantFor(a, a)
	s.ok(a)
	s.freed("c3", a)
}

// grantedOn acquires at once from a node.
func (s *script) grantedOn(node, client string) int {
	a := s.acquire(client)
	s.grantFor(a, a, on(node))
	s.ok(a)
	return a
}

// TestTwoMasters: what a node grants in whose place another has been elected is a limit of its own, and what it had
// granted before is what the store has forgotten.
func TestTwoMasters(t *testing.T) {
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "granted by the old one after the election", cause: model.TwoMasters, write: func(s *script) {
			s.before()
			s.elected("r2", 1)
			s.grantedOn("r1", "c1")
			s.grantedOn("r2", "c2")
		}},
		{name: "and before the new one's grant", cause: model.TwoMasters, write: func(s *script) {
			s.before()
			s.elected("r2", 1)
			s.grantedOn("r2", "c2")
			s.grantedOn("r1", "c1")
		}},
		{name: "granted by the old one before the election", cause: model.StoreForgot, write: func(s *script) {
			s.before()
			s.grantedOn("r1", "c1")
			s.elected("r2", 1)
			s.grantedOn("r2", "c2")
		}},
		{name: "granted before, and renewed by the old one after it", cause: model.TwoMasters, write: func(s *script) {
			s.before()
			a := s.grantedOn("r1", "c1")
			s.elected("r2", 1)
			x := s.call("c1", model.Extend, a)
			s.grantFor(a, x)
			s.ok(x)
			s.grantedOn("r2", "c2")
		}},
		{name: "the old one has dropped it since", cause: model.TwoMasters, write: func(s *script) {
			s.before()
			s.elected("r2", 1)
			a := s.grantedOn("r1", "c1")
			s.key(model.RecordDropped, a, 0)
			s.grantedOn("r2", "c2")
		}},
		{name: "promoted by a fault, without an epoch", cause: model.StoreForgot, write: func(s *script) {
			s.before()
			s.elected("r2", 0)
			s.grantedOn("r1", "c1")
			s.grantedOn("r2", "c2")
		}},
		{name: "elected again", cause: model.StoreForgot, write: func(s *script) {
			s.before()
			s.elected("r2", 1)
			s.elected("r1", 2)
			a := s.grantedOn("r1", "c1")
			s.key(model.RecordDropped, a, 0)
			s.grantedOn("r1", "c2")
		}},
		{name: "removed by another, of two that the old one granted it to", cause: model.RemovedByAnother, write: func(s *script) {
			s.before()
			s.elected("r2", 1)
			x := s.grantedOn("r1", "c2")
			r := s.release("c2", x)
			s.expired(x)
			a := s.grantedOn("r1", "c1")
			s.key(model.RecordDeleted, a, r)
			s.grantedOn("r1", "c3")
		}},
	})
	judgeCauses(t, Fencing, []causeCase{
		{name: "a token of the old one", cause: model.TwoMasters, write: func(s *script) {
			s.before()
			s.elected("r2", 1)
			for _, node := range []string{"r2", "r1"} {
				a := s.acquire("c1" + node)
				s.grantFor(a, a, on(node))
				s.see(model.Observation{Kind: model.RecordCreated, Node: node, Authority: node, Key: "fence", Value: "7", Owner: s.origin(a), By: s.origin(a)})
				s.ok(a, token(7))
			}
		}},
	})
}
