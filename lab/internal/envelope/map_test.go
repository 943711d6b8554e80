package envelope

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// artificial returns a search whose points are found by a predicate.
func artificial(found func(Point) bool) *Search {
	s := &Search{Locks: builtin.Locks(), Lock: "setpx", Scenario: "gc-pause", Properties: []string{"no-lost-update"}, Runs: 100, Seed: 1}
	s.run = func(p Point) *Result {
		r := &Result{Point: p}
		if found(p) {
			r.Violation = model.Violation{Property: "no-lost-update", Limit: true}
		}
		return r
	}
	return s
}

// usualPlan is the plan of a map of leases by pauses.
func usualPlan() Plan {
	return Plan{Plane: Plane{Lease, Pause}, At: Usual, XBounds: Bounds{250 * ms, 2 * second}, YBounds: Bounds{200 * ms, 3 * second}, Columns: 8, Checks: 20}
}

// TestMap: the map of a region with one border has it in each column, and its random points are as their sides are.
func TestMap(t *testing.T) {
	for name, found := range map[string]func(Point) bool{ // unordered: each by itself
		"low":        func(p Point) bool { return p[Lease] < p[Pause]+100*ms },
		"high":       func(p Point) bool { return p[Lease] > 3*second-p[Pause] },
		"everywhere": func(Point) bool { return true },
		"nowhere":    func(Point) bool { return false },
		"some":       func(p Point) bool { return p[Pause] > second && p[Lease] < p[Pause] },
	} {
		t.Run(name, func(t *testing.T) {
			m, err := artificial(found).Make(t.Context(), usualPlan())
			if err != nil {
				t.Fatal(err)
			}
			if w := m.Wrong(); len(w) > 0 || len(m.Twisted()) > 0 {
				t.Errorf("not monotone at %v", w)
			}
			for _, c := range m.Lines {
				if c.Exists && (!found(m.point(c.X, c.Found)) || found(m.point(c.X, c.None)) || max(c.Found, c.None)-min(c.Found, c.None) > m.Within()) {
					t.Errorf("at %s: %+v", m.X.Text(c.X), c.Border)
				}
			}
			found, right := m.count(true)
			none, also := m.count(false)
			want := [2]int{20, 20}
			switch name {
			case "everywhere":
				want[1] = 0
			case "nowhere":
				want[0] = 0
			}
			if found != want[0] || none != want[1] || right != found || also != none {
				t.Errorf("%d of %d and %d of %d random points", right, found, also, none)
			}
		})
	}
}

// TestNotMonotone: a map says where its region has a hole, or an island.
func TestNotMonotone(t *testing.T) {
	in := func(p Point, low, high int64) bool { return low < p[Lease] && p[Lease] < high }
	for name, found := range map[string]func(Point) bool{ // unordered: each by itself
		"hole":   func(p Point) bool { return p[Lease] < p[Pause]+100*ms && !in(p, 250*ms, 700*ms) },
		"island": func(p Point) bool { return p[Lease] < p[Pause]+100*ms || in(p, 2300*ms, 2900*ms) },
	} {
		t.Run(name, func(t *testing.T) {
			s := artificial(found)
			plan := usualPlan()
			plan.Checks = 200
			m, err := s.Make(t.Context(), plan)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(m.Verdict(s, nil), "\n")
			if len(m.Wrong()) == 0 || !strings.Contains(said, "Not monotone at lease=") || m.Object(s, nil, nil).Monotone {
				t.Errorf("it says\n%s", said)
			}
		})
	}
}

// TestBeyond: a finding that the formula excludes is reported.
func TestBeyond(t *testing.T) {
	s := artificial(func(p Point) bool { return p[Lease] < p[Pause]+500*ms })
	m, err := s.Make(t.Context(), usualPlan())
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(m.Verdict(s, &Rule{}), "\n"); !strings.Contains(said, "Beyond the formula: violated at lease=") {
		t.Errorf("it says\n%s", said)
	}
	if list := m.Beyond(&Rule{Fixed: second}); len(list) > 0 {
		t.Errorf("beyond a formula that covers it: %v", list)
	}
}

// TestRuleOf: the margin of a lock is that of its claims in calm runs with two leases.
func TestRuleOf(t *testing.T) {
	for _, test := range []struct {
		a, b sample
		want *Rule
		text string
	}{
		{sample{false, second, second}, sample{false, 2 * second, 2*second + ms/2}, &Rule{}, "lease > pause + hold + 3 rtt"},
		{sample{true, second, 988 * ms}, sample{true, 2 * second, 1978 * ms}, &Rule{Claims: true, Fixed: 2 * ms, PPM: 10_000}, "lease - 2ms - 1% of it > (pause + hold + 6.5 rtt) (1 + drift)"},
		{sample{true, second, 2 * second}, sample{true, 2 * second, 3 * second}, nil, ""},
		{sample{true, second, second}, sample{false, 2 * second, 2 * second}, nil, ""},
	} {
		got := ruleOf(test.a, test.b)
		if (got == nil) != (test.want == nil) || got != nil && (*got != *test.want || got.Text() != test.text) {
			t.Errorf("%+v, %+v: %+v", test.a, test.b, got)
		}
	}
	p := Point{Pause: second, Trip: 10 * ms, Hold: 320 * ms, Drift: 100_000}
	if got, want := (&Rule{}).Lease(p), second+330*ms+30*ms; got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if got, want := (&Rule{Claims: true, Fixed: 2 * ms, PPM: 500_000}).Lease(p), 2*((second+330*ms+65*ms)*11/10+2*ms); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

// TestNeeds: the lease that a lock needs is the longer of what was found and what the formula asks for.
func TestNeeds(t *testing.T) {
	b := Bounds{200 * ms, 3 * second}
	for _, test := range []struct {
		found func(Point) bool
		facts Facts
		says  string
	}{
		{func(p Point) bool { return p[Lease] < 900*ms }, Facts{Rule: &Rule{}}, "this lock needs a lease of at least 1.111s, or a fence."},
		{func(p Point) bool { return p[Lease] < 2*second }, Facts{}, "this lock needs a lease of at least 2.015s, or a fence."},
		{func(p Point) bool { return p[Lease] > 2*second }, Facts{}, "A longer lease does not help this lock."},
		{func(Point) bool { return true }, Facts{}, "needs a longer lease, or a fence."},
		{func(Point) bool { return false }, Facts{Fenced: true}, "This lock has a fence"},
		{func(Point) bool { return false }, Facts{}, "none found in 100 schedules at either end of the leases, 200ms to 3s."},
	} {
		n, err := artificial(test.found).Needs(t.Context(), Usual, b, test.facts)
		if err != nil || !strings.Contains(n.Sentence(), test.says) || !strings.HasPrefix(n.Sentence(), "Your longest pause is 1s, your longest round trip 2.4ms and your hold 100ms: ") {
			t.Errorf("%q, %v; want %q", n.Sentence(), err, test.says)
		}
	}
}

// TestHappenings: a pause of the holder counts, and one of a client that waits does not.
func TestHappenings(t *testing.T) {
	at := func(seq int64) model.Stamp { return model.Stamp{Seq: seq} }
	h := &model.History{
		End: at(100),
		Operations: []model.Operation{
			{ID: 1, Client: "c1", Kind: model.Acquire, Result: model.OK, Call: at(1), Return: at(10)},
			{ID: 2, Client: "c2", Kind: model.Acquire, Call: at(2)},
			{ID: 3, Client: "c1", Kind: model.Release, Acquisition: 1, Call: at(20)},
		},
	}
	for _, test := range []struct {
		o     model.Observation
		which int
		want  bool
	}{
		{model.Observation{Stamp: at(15), Kind: model.Paused, Node: "c1"}, struckHolding, true},
		{model.Observation{Stamp: at(15), Kind: model.Paused, Node: "c2"}, struckHolding, false},
		{model.Observation{Stamp: at(25), Kind: model.Paused, Node: "c1"}, struckHolding, false},
		{model.Observation{Stamp: at(15), Kind: model.Crashed, Node: "redis1"}, struckHolding, true},
		{model.Observation{Stamp: at(0), Kind: model.ClockOff, Node: "c1"}, clockHolding, true},
		{model.Observation{Stamp: at(0), Kind: model.ClockOff, Node: "c2"}, clockHolding, false},
		{model.Observation{Stamp: at(0), Kind: model.ClockOff, Node: "c1", Unread: true}, clockHolding, false},
		{model.Observation{Stamp: at(15), Kind: model.ClockJumped, Node: "c1"}, struckHolding, true},
		{model.Observation{Stamp: at(15), Kind: model.ClockJumped, Node: "c1", Unread: true}, struckHolding, false},
	} {
		with := *h
		with.Observations = []model.Observation{test.o}
		if got := happenings[test.which].In(&with); got != test.want {
			t.Errorf("%s of %s at %d: %v", test.o.Kind, test.o.Node, test.o.Seq, got)
		}
	}
}

// TestCell: the parameters of a point, and the axes that a scenario has.
func TestCell(t *testing.T) {
	s := artificial(nil)
	s.Drifts = true
	c, err := s.Cell(Point{Lease: 3 * second, Pause: second, Trip: 40 * ms, Drift: 1000, Hold: 200 * ms})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, p := range c.Parameters() {
		text += p.Name + "=" + p.Value + " "
	}
	if want := "ttl=1s lease=3s pause=1s rtt=40ms clients=2 rounds=2 replicas=0 drift=1000 pauses=1 skews=1 "; text != want {
		t.Errorf("%s", text)
	}
	s.Scenario = "contention"
	if list, err := s.Axes(); err != nil || slices.Contains(list, Pause) {
		t.Errorf("%v, %v", list, err)
	}
}
