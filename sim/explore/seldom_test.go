package explore

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim"
)

// The requests of a run of stairs.
const usual, rare = 1, 2

// stairs is a toy run of four clients with eight tasks each. Faults in three certain tasks of the
// first have it make a rare request, and one more fault, in a certain task of the last client, is then a bug.
func stairs(tape sim.Tape) (o Outcome, taken []Taken, bug bool) {
	w := &Watched{Tape: tape}
	struck := map[[2]int]int{}
	for task := range 8 {
		for client := range 4 {
			if len(struck) == 4 {
				continue
			}
			site := sim.Site{Actor: client, Process: client + 1, Task: uint64(task % 4)}
			d := sim.Decision{Kind: "fault:x", Actor: "c", Occurrence: task*4 + client, Options: 3, Odds: 10, Site: site, TaskNumber: 1 + task/4}
			if option := w.Choose(d); option > 0 {
				struck[[2]int{client, task}] = option
			}
		}
	}
	o.Served = []uint64{usual}
	if struck[[2]int{0, 1}] > 0 && struck[[2]int{0, 3}] > 0 && struck[[2]int{0, 6}] > 0 {
		o.Served = append(o.Served, rare)
		bug = struck[[2]int{3, 7}] == 2
	}
	return o, w.Taken, bug
}

// TestSeldomRequestsLead: a bug behind a request that few runs make is found sooner by a search
// that is told of the request.
func TestSeldomRequestsLead(t *testing.T) {
	slowtest.SkipIfShort(t)
	const most, seeds = 20 * BlockSize, 6
	schedules := func(told bool) (all int) {
		for seed := range uint64(seeds) {
			var s strategy
			for n := range most {
				if n%BlockSize == 0 {
					s = newGuided(seed, n)
				}
				o, taken, bug := stairs(s.Next())
				if all++; bug {
					break
				}
				if !told {
					o.Served = nil
				}
				s.Learn(&o, taken)
			}
		}
		return all
	}
	with, without := schedules(true), schedules(false)
	t.Logf("%d schedules with, %d without", with, without)
	if with*2 > without {
		t.Errorf("%d searches take %d schedules with what requests there are, and %d without", seeds, with, without)
	}
}

// TestSeldom: a sort of requests is seldom if few runs make it and one of them had a plan to go on
// from, unless most sorts are.
func TestSeldom(t *testing.T) {
	const runs = 5 * seldomIs
	for _, test := range []struct {
		name string
		runs []int // of each sort
		own  bool  // the last run had a plan
		want bool
	}{
		{"all runs make it", []int{runs, runs}, true, false},
		{"one in twelve", []int{runs, runs, runs / seldomIs}, true, true},
		{"one more", []int{runs, runs, runs/seldomIs + 1}, true, false},
		{"no plan of its own", []int{runs, runs, 1}, false, false},
		{"names that differ from run to run", []int{runs, 1, 1}, true, false},
	} {
		s := seldom{at: map[uint64]int{}}
		for i := range runs {
			var served []uint64
			for hash, n := range test.runs {
				if i >= runs-n {
					served = append(served, uint64(hash))
				}
			}
			s.count(served, nil)
			if test.own && i == runs-1 {
				s.made(served, &parent{})
			}
		}
		if got := s.has(); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestSeldomTakesTurns: the runs of a sort are gone on from in turn, and so are sorts as rare as
// each other.
func TestSeldomTakesTurns(t *testing.T) {
	s, parents := seldom{at: map[uint64]int{}}, []*parent{{}, {}, {}}
	for range seldomIs * 5 {
		s.count([]uint64{1, 2, 3, 4}, nil)
	}
	for i, p := range parents {
		served := []uint64{uint64(10 + i/2)} // two runs of one sort, one of another
		s.count(served, nil)
		s.made(served, p)
	}
	for range 30 {
		s.pick()
	}
	if one, two := parents[0].picked, parents[1].picked; one+two < 13 || one > two+1 || two > one+1 || parents[2].picked < 13 {
		t.Errorf("picked %d, %d and %d times", parents[0].picked, parents[1].picked, parents[2].picked)
	}
}

// TestExtend: what goes on from a run has its faults, all or all but one, and one or two more.
func TestExtend(t *testing.T) {
	all, fewer, more := 0, 0, 0
	for seed := range uint64(200) {
		s := taught(t, seed, 2)
		q := s.runs[1] // with all faults that there can be
		before := struckUntil(q.trail, len(q.trail))
		p := s.extend(q)
		kept := slices.DeleteFunc(slices.Clone(before), func(k strike) bool { return !slices.Contains(p.strikes, k) })
		switch len(before) - len(kept) {
		case 0:
			all++
		case 1:
			fewer++
		default:
			t.Fatalf("seed %d: of %d faults it has %d", seed, len(before), len(kept))
		}
		switch len(p.strikes) - len(kept) {
		case 0: // where all places had been struck
		case 1, 2:
			more++
		default:
			t.Fatalf("seed %d: %d strikes, of which %d are its own", seed, len(p.strikes), len(kept))
		}
		if p.noise != q.noise {
			t.Fatalf("seed %d: its noise is another", seed)
		}
	}
	if all < 20 || fewer < 100 || more < 80 {
		t.Errorf("%d of 200 have all faults, %d all but one, %d have more", all, fewer, more)
	}
}

// TestUnhurt: the process that no fault has struck.
func TestUnhurt(t *testing.T) {
	s := newGuided(1, 0).(*guided)
	at := func(process uint64, option int) passing {
		return passing{place: place{byProcess: process}, option: option}
	}
	for _, test := range []struct {
		trail []passing
		want  uint64
	}{
		{[]passing{at(1, 0), at(2, 1), at(2, 0)}, 1},
		{[]passing{at(1, 1), at(2, 1), at(1, 0)}, 0},
		{[]passing{at(0, 0), at(3, 1)}, 0}, // faults that concern no process
	} {
		if got := s.unhurt(test.trail); got != test.want {
			t.Errorf("%+v: process %d, want %d", test.trail, got, test.want)
		}
	}
}
