package attach

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// profile are the points that a run of a workload without faults passes.
type profile struct {
	Workload
	points []Seen
}

// aimed is what a search may try, and whether it strikes the grant, the hold, the renewal or the release of a lock: at a
// request that changes a record, or at the beginning of a hold, of the first client.
type aimed struct {
	Candidate
	aims bool
}

// candidates returns the plans of a search, as many as it has runs: first those of one fault, then those of two. Of four
// with one fault three strike where the lock changes, as long as there are such.
func (s *Search) candidates(profiles []profile) (list []Candidate) {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	singles := s.singles(profiles)
	random.Shuffle(len(singles), func(i, k int) { singles[i], singles[k] = singles[k], singles[i] })
	singles = inTurn(singles)
	var near, far []Candidate
	for _, c := range singles {
		if c.aims {
			near = append(near, c.Candidate)
		} else {
			far = append(far, c.Candidate)
		}
	}
	contends := slices.ContainsFunc(s.Scenarios, func(c Scenario) bool { return c.ID == contention })
	for len(list) < s.Runs {
		i := len(list)
		switch {
		case contends && (i%contending == contending-1 || len(singles) == 0):
			list = append(list, Candidate{contention, profiles[random.IntN(len(profiles))].Workload, nil, s.Seed})
		case len(near) > 0 && (i%4 != 3 || len(far) == 0):
			list, near = append(list, near[0]), near[1:]
		case len(far) > 0 && i < s.Runs*3/4:
			list, far = append(list, far[0]), far[1:]
		case len(singles) == 0:
			return list
		default:
			list = append(list, s.pair(random, singles))
		}
	}
	return list
}

// inTurn returns plans of one fault so that one of each kind comes before a second one of any: a kind is a fault in a phase, of any client and in any
// round and workload.
func inTurn(singles []aimed) []aimed {
	type kind struct {
		scenario string
		do       Action
		phase    Phase
		passed   int
		aims     bool
	}
	seen, turn := map[kind]int{}, make(map[*Fault]int, len(singles))
	for _, c := range singles {
		f := &c.Plan[0]
		of := kind{c.Scenario, f.Do, f.At.Phase, f.Passed, c.aims}
		turn[f] = seen[of]
		seen[of]++
	}
	slices.SortStableFunc(singles, func(a, b aimed) int { return cmp.Compare(turn[&a.Plan[0]], turn[&b.Plan[0]]) })
	return singles
}

// contention is the scenario without faults, and contending how often it has its turn.
const (
	contention = "contention"
	contending = 15
	mixed      = "mixed"
)

// singles returns all plans of one fault.
func (s *Search) singles(profiles []profile) (list []aimed) {
	for _, scenario := range s.Scenarios {
		if scenario.ID == mixed && len(s.Scenarios) > 1 {
			continue // its faults are those of others
		}
		for _, p := range profiles {
			for _, do := range scenario.Do {
				if do == FailOver && s.Followers == 0 {
					continue
				}
				list = append(list, s.at(scenario, p, do)...)
			}
		}
	}
	return list
}

// at returns the plans of one action at each point of a profile.
func (s *Search) at(scenario Scenario, p profile, do Action) (list []aimed) {
	add := func(at Point, aims bool) {
		ends := []int{0}
		if do.lasts() {
			ends = []int{UntilGone, UntilFree, 1, 3}
		}
		for _, passed := range ends {
			aims := aims && at.Client == s.names()[0] && passed != 1 && (passed != UntilFree || do == StopClient)
			list = append(list, aimed{Candidate{scenario.ID, p.Workload, Plan{{At: at, Do: do, Passed: passed}}, s.Seed}, aims})
		}
	}
	var holds []Point
	for _, seen := range p.points {
		at := seen.Point
		if hold := (Point{Client: at.Client, Phase: Holding, Round: at.Round}); at.Phase == Acquiring && seen.Changes && !slices.Contains(holds, hold) {
			holds = append(holds, hold)
		}
		if at.Phase == Acquiring && at.N > 3 {
			continue // one of many polls
		}
		if seen.Changes && !do.early() {
			at.N = 0 // in another run it may be another one of several that changes the record
		}
		add(at, seen.Changes)
	}
	if do == StopClient || do == KillClient || do == FailOver {
		for _, at := range holds {
			add(at, true)
		}
	}
	return list
}

// pair draws two faults at different points. They are of one scenario unless different ones are mixed.
func (s *Search) pair(random *rand.Rand, singles []aimed) Candidate {
	mixes := slices.ContainsFunc(s.Scenarios, func(c Scenario) bool { return c.ID == mixed })
	a := singles[random.IntN(len(singles))].Candidate
	for range 100 {
		b := singles[random.IntN(len(singles))].Candidate
		if b.Workload.ID != a.Workload.ID || b.Plan[0].At == a.Plan[0].At || b.Scenario != a.Scenario && !mixes {
			continue
		}
		c := a
		c.Plan = Plan{a.Plan[0], b.Plan[0]}
		if b.Scenario != a.Scenario {
			c.Scenario = mixed
		}
		return c
	}
	return a
}
