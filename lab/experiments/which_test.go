package experiments

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/scenarios"
)

func program() []cell.Lock {
	return builtin.Locks()
}

// figures runs an experiment with so many seeds, with some values changed.
func figures(t *testing.T, e *Experiment, seeds int, change Values) Results {
	t.Helper()
	v := e.Defaults()
	for name, value := range change { // unordered: each sets another value
		v[name] = value
	}
	if err := e.Usable(v); err != nil {
		t.Fatal(err)
	}
	r, err := Here(t.Context(), e, v, program(), 1, seeds)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// claimed compares which claims hold, in nine seeds of ten, and which do not, in one of ten.
func claimed(t *testing.T, report labreport.Report, want ...bool) {
	t.Helper()
	if len(report.Claims) != len(want) {
		t.Fatalf("there are %d claims, want %d", len(report.Claims), len(want))
	}
	for i, c := range report.Claims {
		if right := 10*c.Holds >= 9*c.Of; !want[i] && 10*c.Holds > c.Of || want[i] && !right {
			t.Errorf("%s It holds for %d of %d seeds.", c.Sentence, c.Holds, c.Of)
		}
	}
}

// A release wakes all where all watch the first, and one where each watches the one before.
func TestHerd(t *testing.T) {
	waiters, seeds := 100, 10
	if testing.Short() {
		waiters, seeds = 50, 1
	}
	report := herd.Report(figures(t, herd, seeds, Values{"waiters": waiters}))
	claimed(t, report, true, true, true, true, true, false, true) // that of etcd is for the program that has its locks
	if note := report.Notes[len(report.Notes)-1]; note != "1 way to wait is left out, as this program does not have the lock: etcd." {
		t.Errorf("the note is %q", note)
	}
}

// A message saves requests where holds last for several pauses.
func TestHerdOfLongHolds(t *testing.T) {
	report := herd.Report(figures(t, herd, 1, Values{"waiters": 20, "hold": 100, "holds": 20}))
	if c := report.Claims[5]; c.Holds != c.Of {
		t.Errorf("%s It holds for %d of %d seeds.", c.Sentence, c.Holds, c.Of)
	}
}

// With one number of waiters nothing grows, and nothing is claimed.
func TestHerdOfTwo(t *testing.T) {
	if report := herd.Report(figures(t, herd, 1, Values{"waiters": 2})); len(report.Claims) != 0 {
		t.Errorf("claims of one size: %v", report.Claims)
	}
}

// An optimistic lock fails in masses where many compete, and a pessimistic one never does; where
// clients hardly meet neither does.
func TestOptimistic(t *testing.T) {
	r := figures(t, optimistic, 1, Values{"clients": 20, "duration": 2000})
	report := optimistic.Report(r)
	claimed(t, report, true, true, true, false, true)
	for i, row := range report.Tables[0].Rows {
		if alone := row.Cells[0].Median; alone != 0 {
			t.Errorf("%s: with one client %v %% of the attempts fail", row.Name, alone)
		}
		if single, many := report.Tables[1].Rows[i].Cells[0].Median, report.Tables[1].Rows[i].Cells[3].Median; many < 2*single {
			t.Errorf("%s: one client has %.0f orders a second, ten have %.0f", row.Name, single, many)
		}
	}
	if c := optimistic.Report(figures(t, optimistic, 1, Values{"clients": 2, "away": 500, "duration": 10_000})).Claims[0]; c.Holds != 0 {
		t.Error("an optimistic lock fails in masses under hardly any load")
	}
}

// A program without stocks in MySQL cannot run it, and says so.
func TestOptimisticWithoutStocks(t *testing.T) {
	if _, err := optimistic.Variants(optimistic.Defaults(), nil); err == nil || !strings.Contains(err.Error(), "db-optimistic") {
		t.Errorf("without locks the error is %v", err)
	}
}

func TestWhichLock(t *testing.T) {
	if testing.Short() {
		t.Skip("all sound locks under up to 64 contenders take too long; without -short they run")
	}
	r := figures(t, whichLock, 10, Values{"hold": 2, "holds": 50})
	report := whichLock.Report(r)
	claimed(t, report, true, true, true, true, true, true)
	if want := 1 + len(whichContenders); len(report.Tables) != want { // the first says who is best
		t.Errorf("there are %d tables, want %d", len(report.Tables), want)
	}
	for i, samples := range r.Samples {
		for _, s := range samples {
			if n := s.Overlaps(); n > 0 {
				t.Errorf("%s: %d holds overlap", r.Variants[i].Name, n)
			}
		}
	}
}

// Locks are flawed that are in a family of flawed ones.
func TestFlawed(t *testing.T) {
	for _, f := range builtin.Families() {
		for _, e := range f.Expectations {
			l, err := scenarios.Registry(program()).Lock(e.Lock)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Contains(strings.ToLower(f.Title), "flawed"); l.Flawed != want {
				t.Errorf("%s is in the family %q, and Flawed is %v", l.ID, f.Title, l.Flawed)
			}
		}
	}
}

// The answer is made of the figures: another winner, another answer.
func TestAnswerIsOfFigures(t *testing.T) {
	e := &Experiment{Settings: whichLock.Settings}
	v := whichLock.Defaults()
	v["hold"], v["contenders"] = 1, 1
	quick, slow := sampleOf(20, 1), sampleOf(10, 5)
	results := func(a, b *lab.Sample) whichResults {
		return newWhichResults(Results{
			Experiment: e, Values: v, Variants: []Variant{{Name: "a, 1 contender, hold 1ms"}, {Name: "b, 1 contender, hold 1ms"}},
			Samples: [][]*lab.Sample{{a}, {b}},
		})
	}
	for want, w := range map[string]whichResults{"a": results(quick, slow), "b": results(slow, quick)} {
		best := w.best()
		if want, title := want, "In how many of 1 contention a lock is best, or within 5 % of the best"; best.Title != title || best.Rows[0].Name != want || best.Rows[0].Cells[0].Median != 1 {
			t.Errorf("%s is best: %+v", want, best)
		}
	}
}

// sampleOf is a second in which so many tries have waited for so many milliseconds each.
func sampleOf(tries, wait int) *lab.Sample {
	s := &lab.Sample{Elapsed: time.Second}
	for range tries {
		s.Tries = append(s.Tries, lab.Try{Return: time.Duration(wait) * time.Millisecond, Result: lab.Acquired})
	}
	return s
}

// A lease that is not longer than the holds is refused.
func TestShortLease(t *testing.T) {
	v := whichLock.Defaults()
	v["lease"] = 500
	if whichLock.Usable(v) == nil {
		t.Error("holds of 200 ms with a lease of 500 ms are accepted")
	}
	v["hold"] = 1
	if err := whichLock.Usable(v); err != nil {
		t.Error(err)
	}
}
