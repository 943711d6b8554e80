package experiments

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
	"github.com/lockpick-dev/lockpick/model"
)

// whichLock compares all locks of the program without flaws.
var whichLock = &Experiment{
	ID:       "which-lock",
	Summary:  "throughput, waits, requests and fairness of every sound lock, from one client to many",
	Question: "Which lock should I use?",
	Seeds:    3,
	Settings: []Setting{
		{Name: "contenders", About: "client processes that compete", Unit: 1, Default: 0, Max: len(whichContenders), Words: anyOf(whichContenders, "")},
		{Name: "hold", About: "how long the lock is held", Unit: 1, Default: 0, Max: len(whichHolds), Words: anyOf(whichHolds, "ms")},
		{Name: "store", About: "whose locks", Unit: 1, Default: 0, Max: len(whichStores), Words: append([]string{"all"}, whichStores...)},
		{Name: "pause", About: "least pause between two tries of locks that poll; it is drawn from [pause, 2*pause)", Unit: time.Millisecond, Default: 10, Min: 1, Max: 60_000},
		{Name: "lease", About: "lease that locks ask for", Unit: time.Millisecond, Default: 10_000, Min: 1000, Max: 3_600_000},
		{Name: "holds", About: "holds that there would be if handing over took no time; a run counts for a second at least", Unit: 1, Default: 100, Min: 10, Max: 100_000},
	},
	Check: func(v Values) error {
		if longest := slices.Max(v.holdsOf()); v["lease"] < 3*longest {
			return fmt.Errorf("the lease is shorter than three times the longest hold, %d ms: holders would lose the lock", longest)
		}
		return nil
	},
	Variants: whichVariants,
	Report:   reportWhich,
}

// whichContenders, whichHolds (in milliseconds) and whichStores are the compared settings.
var (
	whichContenders = []int{1, 4, 16, 64}
	whichHolds      = []int{1, 20, 200}
	whichStores     = []string{"redis", "zookeeper", "etcd", "mysql"}
)

// anyOf returns the words of a setting that chooses one of the numbers, or all.
func anyOf(list []int, unit string) []string {
	words := []string{"all"}
	for _, n := range list {
		words = append(words, fmt.Sprint(n, unit))
	}
	return words
}

// chosen returns the list, or the one element that a setting chooses.
func chosen(list []int, n int) []int {
	if n == 0 {
		return list
	}
	return list[n-1 : n]
}

func (v Values) contenders() []int { return chosen(whichContenders, v["contenders"]) }

func (v Values) holdsOf() []int { return chosen(whichHolds, v["hold"]) }

// sound returns the locks that can be compared: mutexes without flaws, over the chosen store.
func (v Values) sound(locks []cell.Lock) (list []cell.Lock) {
	for _, l := range locks {
		here := v["store"] == 0 || l.Store.ID() == whichStores[v["store"]-1]
		kind := l.Subject.Spec().Kind
		if (kind == model.KindMutex || kind == model.KindReentrant) && !l.Flawed && here {
			list = append(list, l)
		}
	}
	return list
}

// whichVariants returns all contentions of all locks, with the locks as the fastest place.
func whichVariants(v Values, locks []cell.Lock) (list []Variant, _ error) {
	for _, hold := range v.holdsOf() {
		for _, n := range v.contenders() {
			for _, l := range v.sound(locks) {
				hold := time.Duration(hold) * time.Millisecond
				list = append(list, Variant{Name: fmt.Sprintf("%s, %s, hold %v", l.ID, contenders(n), hold), Plan: contention{
					lock: l, clients: n, hold: hold, pause: v.Duration("pause"), lease: v.Duration("lease"),
					warmUp: time.Second, lasts: max(time.Second, time.Duration(v["holds"])*hold),
				}.plan()})
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the program has no sound locks of this store")
	}
	return list, nil
}

func contenders(n int) string {
	if n == 1 {
		return "1 contender"
	}
	return fmt.Sprintf("%d contenders", n)
}

// whichMeasure is a measure by which locks are compared.
type whichMeasure struct {
	name, unit string
	of         func(clients int) func(*lab.Sample) float64
	more       bool   // more is better
	best       string // the description of the best one
}

var whichMeasures = []whichMeasure{
	{"throughput", "1/s", whatever(rate), true, "highest throughput"},
	{"wait, median", "ms", whatever(wait(0.5)), false, "shortest median wait"},
	{"wait, 99 %", "ms", whatever(wait(0.99)), false, "shortest 99 % wait"},
	{"requests per acquisition", "", whatever(perAcquisition((*lab.Sample).Asked)), false, "fewest requests per acquisition"},
	{"fairness", "", func(clients int) func(*lab.Sample) float64 {
		return func(s *lab.Sample) float64 {
			if s.Count(lab.Acquired) == 0 {
				return math.NaN()
			}
			return s.Fairness(clients)
		}
	}, true, "most even shares"},
}

// The places of measures.
const (
	whichRate = iota
	whichMedian
	whichP99
	whichRequests
	whichFairness
)

// whatever returns a measure that does not depend on the number of clients.
func whatever(of func(*lab.Sample) float64) func(int) func(*lab.Sample) float64 {
	return func(int) func(*lab.Sample) float64 { return of }
}

// whichResults are the results by hold, contenders and lock.
type whichResults struct {
	Results
	holds, contenders []int
	locks             []string
}

func newWhichResults(r Results) whichResults {
	w := whichResults{Results: r, holds: r.Values.holdsOf(), contenders: r.Values.contenders()}
	for _, v := range r.Variants[:len(r.Variants)/len(w.holds)/len(w.contenders)] {
		id, _, _ := strings.Cut(v.Name, ",")
		w.locks = append(w.locks, id)
	}
	return w
}

func reportWhich(r Results) labreport.Report {
	w := newWhichResults(r)
	report := labreport.Report{Claims: w.claims()}
	if len(w.locks) > 1 {
		report.Leaders = w.leaders()
		report.Tables = append(report.Tables, w.best())
	}
	for i, hold := range w.holds {
		for j, n := range w.contenders {
			report.Tables = append(report.Tables, w.table(i, j, fmt.Sprintf("%s, holds of %d ms", contenders(n), hold)))
		}
		if len(w.contenders) > 1 {
			report.Plots = append(report.Plots,
				w.plot(i, fmt.Sprintf("How long one waits, median, holds of %d ms", hold), whichMedian),
				w.plot(i, fmt.Sprintf("How long one waits, 99 %%, holds of %d ms", hold), whichP99))
		}
	}
	report.Notes = append(report.Notes,
		"Each client acquires, holds, releases and asks again at once, in a process of its own; a lock that is made for several threads of a process has two. The first second does not count.",
		"A wait that was not over at the end counts with the time until then, so long waits are longer than the figures: -p holds=1000 gives longer runs. Fairness is Jain's index of how often each client had the lock: 1 if all had it equally often. It cannot be more than acquisitions divided by contenders. A short median wait beside a long 99 % wait is that of a client that gets the lock again as soon as it has released it.",
		"A lock with less than a tenth of the best throughput is not compared: its figures are those of the few who got it.",
		"A lock of several locks takes them in any order, half of its clients in one and half in the other: they wait for each other until one gives up, and hardly anybody gets on. Take several locks in one order.",
		"The figures say nothing of what a lock guarantees. Locks on several servers, and those that wait for replicas, do more with their requests.",
	)
	return report
}

// at returns the variant of a hold, contenders and a lock, by their places.
func (w whichResults) at(hold, contenders, lock int) int {
	return (hold*len(w.contenders)+contenders)*len(w.locks) + lock
}

// figure returns a measure of a lock.
func (w whichResults) figure(hold, contenders, lock, measure int) labreport.Figure {
	return w.Figure(w.at(hold, contenders, lock), whichMeasures[measure].of(w.contenders[contenders]))
}

// table has a row for each lock.
func (w whichResults) table(hold, contenders int, title string) labreport.Table {
	t := labreport.Table{Title: title, What: "lock"}
	for _, m := range whichMeasures {
		t.Columns = append(t.Columns, labreport.Column{Name: m.name, Unit: m.unit})
	}
	for k, id := range w.locks {
		row := labreport.Row{Name: id}
		for m := range whichMeasures {
			row.Cells = append(row.Cells, w.figure(hold, contenders, k, m))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// plot has a line for each lock over the contenders.
func (w whichResults) plot(hold int, title string, measure int) labreport.Plot {
	p := labreport.Plot{
		Title: title, Kind: labreport.Lines,
		X: labreport.Axis{Name: "contenders", Log: true}, Y: labreport.Axis{Name: "wait", Unit: "ms", Log: true},
	}
	for k, id := range w.locks {
		series := labreport.Series{Name: id}
		for j, n := range w.contenders {
			f := w.figure(hold, j, k, measure)
			series.Points = append(series.Points, labreport.Point{X: float64(n), Y: f.Median, Low: f.Low, High: f.High})
		}
		p.Series = append(p.Series, series)
	}
	return p
}
