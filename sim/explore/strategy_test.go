package explore

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// protocol is a toy run: two clients ask, a server answers, faults may strike,
// and what struck changes what is asked.
func protocol(tape sim.Tape) (Outcome, []Taken) {
	w := &Watched{Tape: tape}
	occurrence := map[string]int{}
	ask := func(d sim.Decision) int {
		key := string(d.Kind) + d.Actor
		d.Occurrence = occurrence[key]
		occurrence[key]++
		option := w.Choose(d)
		if option < 0 || option >= d.Options {
			panic(fmt.Sprintf("option %d of %s, which has %d", option, d.ID(), d.Options))
		}
		return option
	}
	var story sim.Digest
	o := Outcome{}
	left := 2
	for step := range 12 {
		client := step % 2
		name := fmt.Sprint("c", client)
		if step < 2 {
			ask(sim.Decision{Kind: sim.Seed, Actor: name, Options: 1 << 20})
		}
		ask(sim.Decision{Kind: sim.Latency, Actor: name, Options: 32, Candidates: []sim.Candidate{{From: client, To: 2}}})
		if left > 0 {
			site := sim.Site{Actor: client, Process: client + 1, Task: uint64(step / 4), Step: step % 4}
			if option := ask(sim.Decision{Kind: "fault:x", Actor: name, Options: 3, Odds: 10, Site: site, TaskNumber: 1}); option > 0 {
				left--
				story.Uint(uint64(step*3 + option))
			}
		}
		story.Uint(uint64(ask(sim.Decision{Kind: sim.Order, Actor: "world", Options: 2, Candidates: []sim.Candidate{
			{Serial: int64(2 * step), From: 0, To: 2}, {Serial: int64(2*step + 1), From: 1, To: 2},
		}})))
		o.Features = append(o.Features, story.Sum())
	}
	o.Class = story.Sum()
	return o, w.Taken
}

// TestStrategiesRepeat: a strategy is a function of its seed and of what it
// learns.
func TestStrategiesRepeat(t *testing.T) {
	for _, name := range StrategyNames() {
		t.Run(name, func(t *testing.T) {
			play := func(seed uint64) (tapes [][]sim.Choice) {
				s, err := newStrategy(name, seed, 0)
				if err != nil {
					t.Fatal(err)
				}
				for range BlockSize {
					o, taken := protocol(s.Next())
					s.Learn(&o, taken)
					w := Watched{Taken: taken}
					tapes = append(tapes, w.Choices())
				}
				return tapes
			}
			first := play(1)
			for i, tape := range play(1) {
				if !slices.Equal(tape, first[i]) {
					t.Fatalf("schedule %d differs:\n%v\n%v", i, first[i], tape)
				}
			}
			if other := play(2); slices.EqualFunc(first, other, slices.Equal[[]sim.Choice]) {
				t.Error("another seed makes no difference")
			}
		})
	}
}

// TestUnknownKinds: a strategy that does not know a kind of decision panics, and
// does not guess.
func TestUnknownKinds(t *testing.T) {
	for _, name := range StrategyNames() {
		s, err := newStrategy(name, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		panics := 0
		for range 100 {
			func() {
				defer func() {
					if r := recover(); r != nil {
						panics++
						if text := fmt.Sprint(r); !strings.Contains(text, `does not know decisions of kind "number"`) {
							t.Errorf("%s: %s", name, text)
						}
					}
				}()
				s.Next().Choose(sim.Decision{Kind: "number", Actor: "a", Options: 10})
			}()
		}
		knowsAll := name == RandomStrategy || name == SwarmStrategy
		if knowsAll != (panics == 0) {
			t.Errorf("%s panicked %d times in 100", name, panics)
		}
	}
}

// senders is a world of orders: each sender has so many messages, to its own
// receiver, but for the last one, which goes to one that all share. It answers
// the order in which the shared one got them.
func senders(tape sim.Tape, messages ...int) (got []int) {
	sent := make([]int, len(messages))
	for {
		var list []sim.Candidate
		for i, n := range messages {
			if sent[i] < n {
				to := 100 + i
				if sent[i] == n-1 {
					to = 99
				}
				list = append(list, sim.Candidate{Serial: int64(i*100 + sent[i]), From: i, To: to})
			}
		}
		if len(list) == 0 {
			return got
		}
		next := 0
		if len(list) > 1 {
			next = tape.Choose(sim.Decision{Kind: sim.Order, Actor: "world", Options: len(list), Candidates: list})
		}
		i := list[next].From
		if sent[i]++; sent[i] == messages[i] {
			got = append(got, i)
		}
	}
}

// count is in how many of the schedules of a seed something is so.
func count(t *testing.T, strategy string, schedules int, is func(sim.Tape) bool) (n int) {
	t.Helper()
	s, err := newStrategy(strategy, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range schedules {
		if is(s.Next()) {
			n++
		}
	}
	return n
}

// TestPOS: with nothing independent all orders are as likely, and with much of
// it, what takes many steps is far likelier than in a random walk.
func TestPOS(t *testing.T) {
	const schedules = 6000
	orders := map[string]int{}
	count(t, POSStrategy, schedules, func(tape sim.Tape) bool {
		orders[fmt.Sprint(senders(tape, 1, 1, 1))]++
		return true
	})
	for order, n := range orders {
		if want := schedules / 6; len(orders) != 6 || math.Abs(float64(n-want)) > 5*math.Sqrt(float64(want)) {
			t.Errorf("%s came %d times, want about %d", order, n, want)
		}
	}
	late := func(tape sim.Tape) bool { return senders(tape, 9, 1)[0] == 0 } // all nine before the other's one
	walk, pos := count(t, RandomStrategy, schedules, late), count(t, POSStrategy, schedules, late)
	// 1 in 2^9, and 1 in 10: the one has the lowest of ten priorities.
	if walk > schedules/200 || pos < schedules/15 {
		t.Errorf("the long way round came %d times in a random walk, %d times by pos, of %d", walk, pos, schedules)
	}
}

// TestPCT: an order that takes d constraints is found with a chance of one in
// n k^(d-1), times that of as many changes.
func TestPCT(t *testing.T) {
	const schedules = 20000
	// Sender 0's nine messages all come before sender 1's one: d is 1.
	one := count(t, PCTStrategy, schedules, func(tape sim.Tape) bool { return senders(tape, 9, 1)[0] == 0 })
	// There are three chains, and half of the schedules have no change.
	if want := schedules / 3 / 2; one < want*9/10 {
		t.Errorf("depth 1: %d times, want at least %d", one, want)
	}
	// Sender 1's one comes right behind sender 0's fifth: d is 2.
	two := count(t, PCTStrategy, schedules, func(tape sim.Tape) bool {
		step, at := 0, -1
		senders(sees{tape, func(d sim.Decision, option int) {
			if step++; d.Candidates[option].From == 1 {
				at = step
			}
		}}, 9, 1)
		return at == 6
	})
	const n, k, changes = 3, 20, 4 // a new strategy takes runs to have 20 orders; a change in two, or more, comes in half
	if want := schedules / (n * k * changes); two < want {
		t.Errorf("depth 2: %d times, want at least %d", two, want)
	}
}

type sees struct {
	sim.Tape
	each func(sim.Decision, int)
}

func (s sees) Choose(d sim.Decision) int {
	option := s.Tape.Choose(d)
	s.each(d, option)
	return option
}

// TestBounded: every schedule with no deviation, then those with one, then with
// two, each once.
func TestBounded(t *testing.T) {
	var taken []Taken
	_, taken = protocol(sim.Calm{})
	places := 0 // with how many deviations each
	pairs := 0
	budget := 0
	for i := range taken {
		if varies(taken[i].Kind) {
			n := taken[i].Options - leastDeviation(&taken[i].Decision)
			pairs += budget * n
			budget += n
			places += n
		}
	}
	s := newBounded(1, 0)
	seen := map[string]bool{}
	for i := range 1 + places + pairs {
		o, taken := protocol(s.Next())
		s.Learn(&o, taken)
		w := Watched{Taken: taken}
		deviations := Deviations(w.Choices())
		want := 0
		switch {
		case i > places:
			want = 2
		case i > 0:
			want = 1
		}
		if len(deviations) != want {
			t.Fatalf("schedule %d has %d deviations, want %d", i, len(deviations), want)
		}
		if key := fmt.Sprint(deviations); seen[key] {
			t.Fatalf("schedule %d comes again: %s", i, key)
		} else {
			seen[key] = true
		}
	}
	if o, taken := protocol(s.Next()); true {
		s.Learn(&o, taken)
		w := Watched{Taken: taken}
		if n := len(Deviations(w.Choices())); n != 3 {
			t.Errorf("behind all with two comes one with %d", n)
		}
	}
}

// TestPortfolioShares: where there are many kinds of faults, random and pos together
// have more schedules than guided; where there are few, guided has most.
func TestPortfolioShares(t *testing.T) {
	for kinds := range 2 * manyKinds {
		var taken []Taken
		for i := range kinds {
			taken = append(taken, Taken{Decision: sim.Decision{Kind: sim.Kind(fmt.Sprint("fault:", i)), Options: 2, Odds: 10}})
		}
		s := newPortfolio(1, 0).(*portfolio)
		planned, uniform := 0, 0
		for range 2000 {
			s.Next()
			switch arm := s.current.strategy.(type) {
			case *guided:
				planned++
			case *randomStrategy:
				uniform++
			case *separate:
				if arm.name == POSStrategy {
					uniform++
				}
			}
			s.guided.last = nil
			s.Learn(&Outcome{}, taken)
		}
		if many := kinds > manyKinds; many != (uniform > planned) {
			t.Errorf("with %d kinds of faults, guided has %d schedules, random and pos %d", kinds, planned, uniform)
		}
	}
}

// TestPortfolioFloors: a strategy that never shows anything new still gets a share.
func TestPortfolioFloors(t *testing.T) {
	s := newPortfolio(1, 0).(*portfolio)
	runs := map[strategy]int{}
	const schedules = 10_000
	class := uint64(0)
	for range schedules {
		s.Next()
		runs[s.current.strategy]++
		if s.current.strategy == strategy(s.guided) {
			class++
		}
		s.guided.last = nil
		s.Learn(&Outcome{Class: class}, nil)
	}
	for _, a := range s.arms {
		if n := runs[a.strategy]; n < schedules/80 {
			t.Errorf("%T has %d of %d schedules", a.strategy, n, schedules)
		}
	}
}

// TestGuidedBuildsUp: a bug that takes two faults at places that come up once
// each is found sooner than by faults at random.
func TestGuidedBuildsUp(t *testing.T) {
	found := func(strategy string) (n int) {
		for seed := range uint64(20) {
			s, err := newStrategy(strategy, seed, 0)
			if err != nil {
				t.Fatal(err)
			}
			for range BlockSize {
				o, taken := protocol(s.Next())
				s.Learn(&o, taken)
				hits := 0
				for i := range taken {
					d := &taken[i]
					if d.Kind == "fault:x" && d.Option == 2 && d.Site.Process == 1 && d.Site.Step == 2 && d.Site.Task < 2 {
						hits++
					}
				}
				if hits == 2 {
					n++
					break
				}
			}
		}
		return n
	}
	if guided, random := found(GuidedStrategy), found(RandomStrategy); guided <= random {
		t.Errorf("guided found it with %d of 20 seeds, random with %d", guided, random)
	}
}

// TestCourses: how a fault goes on that has struck is open, whichever strategy
// has let it strike.
func TestCourses(t *testing.T) {
	for _, name := range StrategyNames() {
		t.Run(name, func(t *testing.T) {
			s, err := newStrategy(name, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			var seen [3]int
			for range 400 {
				w := &Watched{Tape: s.Next()}
				struck := false
				for step := range 12 {
					site := sim.Site{Actor: 1, Process: 1, Step: step}
					if !struck && w.Choose(sim.Decision{Kind: "fault:x", Actor: "a", Occurrence: step, Options: 2, Odds: 10, Site: site}) > 0 {
						struck = true
						seen[w.Choose(sim.Decision{Kind: "fault:x-course", Actor: "a", Options: 3, Site: site})]++
					}
				}
				s.Learn(&Outcome{}, w.Taken)
			}
			for option, n := range seen {
				if n < 5 {
					t.Errorf("option %d of the course was taken %d times: %v", option, n, seen)
				}
			}
		})
	}
}
