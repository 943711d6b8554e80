package explore

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/sim"
)

// Tree asks for a part of an exhaustive search: every schedule with exactly Bound
// deviations from calm whose first one is among some of the calm run's branches. A
// branch is a decision with an option other than the calm one; branches are numbered in
// the order of the run.
type Tree struct {
	Bound int `json:"bound"`
	// First and Count are the branches.
	First int `json:"first"`
	Count int `json:"count"`
	// Plain disables partial-order reduction.
	Plain bool `json:"plain,omitempty"`
}

// Node describes a schedule within an exhaustive search.
type Node struct {
	// Inner is set if the schedule has fewer deviations than requested, and was run
	// only to reach schedules that have more.
	Inner bool `json:"inner,omitempty"`
	// Class is the class of the run up to the order of independent events.
	Class uint64 `json:"class,omitempty"`
	// Branches is the number of schedules with one more deviation that have to be
	// run. Idle is the number of those that need no run, since they are known to
	// be in this schedule's class.
	Branches int `json:"branches,omitempty"`
	Idle     int `json:"idle,omitempty"`
	// Needless is set if one of the schedule's deviations is needless.
	Needless bool `json:"needless,omitempty"`
	// Deviating has the schedule's deviations, if it violates a property. They are
	// enough to run it again.
	Deviating []sim.Choice `json:"deviating,omitempty"`
}

// serveTree walks the tree depth first.
func (s *server) serveTree() (good bool, err error) {
	w := &walk{server: s, Tree: *s.request.Tree, next: s.request.First}
	for _, n := range s.request.Skip {
		w.skip(n)
	}
	return w.visit(&branch{at: -1}, nil, 0)
}

// walk is the state of a depth-first search. It numbers the runs that it makes or would
// make.
type walk struct {
	*server
	Tree
	next    int // the first run to report
	ordinal int
	skipped map[int]bool
	hear    func(Result) // called instead of reporting, in tests
}

// say reports the result of a run.
func (w *walk) say(r Result) (good bool, err error) {
	if w.hear != nil {
		w.hear(r)
		return true, nil
	}
	return w.report(r)
}

func (w *walk) skip(n int) {
	if w.skipped == nil {
		w.skipped = map[int]bool{}
	}
	w.skipped[n] = true
}

// visit runs the schedule of a branch, and those that branch off from it. The run must
// begin with the decisions of its parent up to the branch, in before.
func (w *walk) visit(b *branch, before []Taken, depth int) (good bool, err error) {
	ordinal := w.ordinal
	w.ordinal++
	leaf := depth == w.Bound
	if w.skipped[ordinal] || leaf && ordinal < w.next {
		return true, nil
	}
	r, list, taken := w.probe(ordinal, b, before, leaf)
	if depth == 0 && !leaf {
		list = list[min(w.Tree.First, len(list)):min(w.Tree.First+w.Tree.Count, len(list))]
	}
	if n := r.Node; n != nil {
		n.count(list)
		if n.Inner && depth+1 < w.Bound {
			n.Idle = 0 // idle branches are visited
		}
	}
	if ordinal >= w.next {
		if good, err := w.say(r); err != nil || !good {
			return good, err
		}
	}
	if leaf {
		return true, nil
	}
	for _, c := range list {
		if depth+1 == w.Bound && c.idle {
			continue
		}
		if good, err := w.visit(&branch{b, c.at, c.option}, taken[:c.at+1], depth+1); err != nil || !good {
			return good, err
		}
	}
	return true, nil
}

// count counts the branches of a node.
func (n *Node) count(list []offshoot) {
	for _, c := range list {
		if c.idle {
			n.Idle++
		} else {
			n.Branches++
		}
	}
}

// probe runs the schedule of a branch and lists the branches after it.
func (w *walk) probe(ordinal int, b *branch, before []Taken, leaf bool) (Result, []offshoot, []Taken) {
	expected := &expecting{Tape: newPlaces(b), Before: before}
	watched := &Watched{Tape: expected, Each: w.loud(ordinal)}
	o, trouble := w.guard(w.server.run, Run{Tape: watched, Trail: true})
	r := Result{Schedule: ordinal, Trouble: trouble}
	if trouble == nil {
		r = result(ordinal, &o)
	}
	if d := expected.Diverged(); d != nil && r.Trouble == nil {
		r.Trouble = &Trouble{Kind: Nondeterministic, Reason: fmt.Sprintf(
			"two runs of the same choices differ: decision %d is %s in one and %s in the other", d.Decision, d.Recorded, d.Asked)}
	}
	if r.Trouble != nil {
		r.Trouble.Schedule, r.Trouble.Tape = ordinal, watched.Choices()
		r.Trouble.Leaked = false // its branches are not known: the run did not finish
		return r, nil, nil
	}
	list, needless := offshoots(b.at, watched.Taken, o.Trail, w.Plain)
	r.Node = &Node{Inner: !leaf, Class: o.Trail.Class(), Needless: needless}
	if leaf && len(r.Violated) > 0 {
		tape := watched.Choices()
		r.Node.Deviating = Deviations(tape)
		if w.unreported(r.Violated) {
			r.Tape = tape
		}
	}
	return r, list, watched.Taken
}

// offshoot is a branch of a run.
type offshoot struct {
	at, option int
	idle       bool // known to be of the run's own class
}

// offshoots lists the branches of a run after its last deviation.
func offshoots(last int, taken []Taken, t *sim.Trail, plain bool) (list []offshoot, needless bool) {
	limit, needless := cut(t, taken)
	if plain {
		limit = len(taken)
	}
	junctions := map[int]*sim.Junction{}
	for i := range t.Junctions {
		junctions[t.Junctions[i].Decision] = &t.Junctions[i]
	}
	for at := last + 1; at < limit; at++ {
		if !varies(taken[at].Kind) {
			continue
		}
		for option := leastDeviation(&taken[at].Decision); option < taken[at].Options; option++ {
			j := junctions[at]
			list = append(list, offshoot{at, option, !plain && j != nil && isIdle(t, j, option)})
		}
	}
	return list, needless
}
