package quorum

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// store is a group of servers that keep nothing but a log of words.
type store struct {
	*Group[*node, *string]
	seen    []string // observations of servers
	follows []string // who has followed whom
}

type node struct {
	*Member[*node, *string]
	*store
}

func newStore(w *sim.World, members int) *store {
	s := &store{}
	s.Group = NewGroup[*node, *string](w, Rules[*node]{
		Name: "store", Patience: time.Second, Vote: 200 * time.Millisecond, AtOnce: true,
		Compare: func(a, b *node) int { return cmp.Compare(len(a.Log), len(b.Log)) },
		Joins:   func(n, _ *node) bool { return n.Member.Leader() == nil && !n.Admitted() },
	}, func(o model.Observation) { s.seen = append(s.seen, o.Node+" "+o.Event()) })
	for i := range members {
		n := &node{store: s}
		name := fmt.Sprint("n", i+1)
		n.Member = s.Add(n, name, fmt.Sprintf("10.0.9.%d:1", i+1), nil, Hooks[*string]{
			Looks: func() {}, Leads: func() {}, Advance: n.advance, Apply: func(*string, bool) {},
			Follows: func() {
				s.follows = append(s.follows, fmt.Sprintf("%s follows %s in %d", name, n.Member.Leader().Member.Name(), n.Member.Term))
			},
			Resume: func() {
				s.Changed()
				for _, f := range n.Held() {
					f()
				}
			},
		})
	}
	s.Begin(1)
	return s
}

func (n *node) advance() {
	l := n.Leadership()
	sure := l.Accepted()
	if !n.Leads() {
		if sure < len(n.Log) {
			return
		}
		l.Establish()
		n.Join()
	}
	for n.Applied < sure {
		l.Commit()
	}
}

// write appends a word at the leader.
func (s *store) write(word string) {
	n := s.Leader()
	n.Leadership().Append(&word, "append "+word)
	n.advance()
}

func (s *store) words() (list []string) {
	for _, x := range s.Committed() {
		list = append(list, *x)
	}
	return list
}

// run makes a run in which things happen at moments.
func run(t *testing.T, members int, acts map[time.Duration]func(s *store, n []*node)) *store {
	t.Helper()
	var s *store
	report := sim.Run(sim.Config{Horizon: time.Minute}, func(w *sim.World) {
		s = newStore(w, members)
		a := w.NewActor("acts")
		for at, act := range acts { // unordered: each has a moment of its own
			w.At(a, at, sim.EventFault, sim.EventOptions{Vital: true}, func() { act(s, s.Nodes()) })
		}
	})
	if report.Failure != nil || report.Cut != "" {
		t.Fatalf("%v %s", report.Failure, report.Cut)
	}
	return s
}

func wants(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestElection: without the leader the others elect another, which goes on with the log. What the
// old one alone had accepted is dropped when it comes back.
func TestElection(t *testing.T) {
	s := run(t, 3, map[time.Duration]func(s *store, n []*node){
		1 * time.Second: func(s *store, _ []*node) { s.write("a") },
		2 * time.Second: func(s *store, n []*node) {
			s.write("lost")
			n[0].Crash()
		},
		4 * time.Second: func(s *store, _ []*node) { s.write("b") },
		5 * time.Second: func(_ *store, n []*node) { n[0].Restart() },
	})
	wants(t, "committed", s.words(), "a", "b")
	wants(t, "followed", s.follows, "n2 follows n1 in 1", "n3 follows n1 in 1", "n2 follows n3 in 2", "n1 follows n3 in 2")
	wants(t, "seen", s.seen, "n1 serving", "n1 crashed", "n2 leaderless", "n3 leaderless", "n2 returned", "n3 promoted", "n1 returned", "n1 leaderless", "n1 returned")
	if !s.Healed() {
		t.Error("not healed")
	}
}

// TestEarlierLeader: a server hangs before it has read the log of a leader that admits it. When it
// comes to, another leads and admits it, and it does not follow the earlier one.
func TestEarlierLeader(t *testing.T) {
	s := run(t, 3, map[time.Duration]func(s *store, n []*node){
		1 * time.Second: func(_ *store, n []*node) { n[2].Crash() },
		2 * time.Second: func(_ *store, n []*node) {
			n[2].Restart()
			n[2].Hang(5 * time.Second)
		},
		3 * time.Second: func(_ *store, n []*node) { n[0].Crash() },
		4 * time.Second: func(_ *store, n []*node) { n[0].Restart() },
	})
	wants(t, "followed", s.follows, "n2 follows n1 in 1", "n3 follows n1 in 1", "n1 follows n2 in 2", "n3 follows n2 in 2")
	if !s.Healed() {
		t.Error("not healed")
	}
}

// TestPartition: a leader that is cut off from a majority steps down when its patience ends, and
// one that is cut off from a minority does not.
func TestPartition(t *testing.T) {
	for cut, want := range map[int]string{2: "n1 leaderless", 1: "n3 leaderless"} { // unordered: independent
		s := run(t, 3, map[time.Duration]func(s *store, n []*node){
			1 * time.Second: func(s *store, n []*node) {
				p := sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[2].Actor}}
				if cut == 2 {
					p.B = append(p.B, n[1].Actor)
				}
				s.world.Network().Part(p, 0)
			},
		})
		if s.seen[1] != want || s.Leader().Member.Name() != map[int]string{2: "n3", 1: "n1"}[cut] {
			t.Errorf("cut off from %d: %s leads, %v", cut, s.Leader().Member.Name(), s.seen)
		}
	}
}
