package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// whichClose is how near to the best figure another one is as good: within so much of it.
const whichClose = 0.05

// tally is in how many comparisons each lock is best at each measure, or as good as that, by the locks'
// places and the measures'.
func (w whichResults) tally() [][]int {
	counts := make([][]int, len(w.locks))
	for k := range counts {
		counts[k] = make([]int, len(whichMeasures))
	}
	for m := range whichMeasures {
		for i := range w.holds {
			for j := range w.contenders {
				for _, k := range w.nearBest(i, j, m) {
					counts[k][m]++
				}
			}
		}
	}
	return counts
}

// best returns a table of the tally: the locks that are ever best, the most often best first.
func (w whichResults) best() labreport.Table {
	contentions := len(w.holds) * len(w.contenders)
	t := labreport.Table{
		Title: fmt.Sprintf("In how many of %s a lock is best, or within %.0f %% of the best", wording.Count(contentions, "contention"), 100*whichClose),
		What:  "lock",
	}
	for _, m := range whichMeasures {
		t.Columns = append(t.Columns, labreport.Column{Name: m.best})
	}
	t.Columns = append(t.Columns, labreport.Column{Name: "all"})
	for k, counts := range w.tally() {
		row, all := labreport.Row{Name: w.locks[k]}, 0
		for _, n := range counts {
			row.Cells, all = append(row.Cells, labreport.Median([]float64{float64(n)})), all+n
		}
		if all > 0 {
			row.Cells = append(row.Cells, labreport.Median([]float64{float64(all)}))
			t.Rows = append(t.Rows, row)
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b labreport.Row) int {
		return cmp.Compare(b.Cells[len(whichMeasures)].Median, a.Cells[len(whichMeasures)].Median)
	})
	return t
}

// leaders are what is best at each measure without contention, and with the most.
func (w whichResults) leaders() (list []labreport.Leader) {
	hold := slices.Index(w.holds, 20)
	if hold < 0 {
		hold = 0
	}
	for j, n := range w.contenders {
		if j > 0 && j < len(w.contenders)-1 {
			continue
		}
		for m, measure := range whichMeasures {
			if n == 1 && m == whichFairness {
				continue // all have the same
			}
			k := w.leader(hold, j, m)
			if k < 0 {
				continue
			}
			figure := labreport.Number(w.figure(hold, j, k, m).Median)
			if measure.unit != "" {
				figure += " " + measure.unit
			}
			list = append(list, labreport.Leader{
				Where: fmt.Sprintf("%s and holds of %d ms", contenders(n), w.holds[hold]), What: measure.best, Name: w.locks[k], Figure: figure,
			})
		}
	}
	return list
}

// leader returns the lock with the best median, -1 if there is no figure.
func (w whichResults) leader(hold, contenders, measure int) (best int) {
	best = -1
	for k := range w.locks {
		f := w.figure(hold, contenders, k, measure).Median
		if math.IsNaN(f) || !w.getsOn(hold, contenders, k) {
			continue
		}
		if best < 0 || better(whichMeasures[measure], f, w.figure(hold, contenders, best, measure).Median) {
			best = k
		}
	}
	return best
}

// getsOn reports whether a lock has at least a tenth of the best throughput. The figures of one
// that has less are those of the few who got it.
func (w whichResults) getsOn(hold, contenders, lock int) bool {
	best := 0.0
	for k := range w.locks {
		best = max(best, w.figure(hold, contenders, k, whichRate).Median)
	}
	return w.figure(hold, contenders, lock, whichRate).Median >= best/10
}

func better(m whichMeasure, a, b float64) bool {
	if m.more {
		return a > b
	}
	return a < b
}

// nearBest returns the places of the locks that are as good as the best one.
func (w whichResults) nearBest(hold, contenders, measure int) (list []int) {
	k := w.leader(hold, contenders, measure)
	if k < 0 {
		return nil
	}
	best := w.figure(hold, contenders, k, measure).Median
	for k := range w.locks {
		if f := w.figure(hold, contenders, k, measure).Median; w.getsOn(hold, contenders, k) && math.Abs(f-best) <= whichClose*math.Abs(best) {
			list = append(list, k)
		}
	}
	return list
}

// claims are those for which the program has the locks.
func (w whichResults) claims() (list []labreport.Claim) {
	hold := max(0, slices.Index(w.holds, 20))
	many := len(w.contenders) - 1
	claim := func(contenders, measure int, good, bad, sentence string) {
		a, b := slices.Index(w.locks, good), slices.Index(w.locks, bad)
		if a < 0 || b < 0 {
			return
		}
		m := whichMeasures[measure]
		of := m.of(w.contenders[contenders])
		list = append(list, w.Claim(fmt.Sprintf(sentence, w.contention(hold, contenders)), func(s []*lab.Sample) bool {
			return better(m, of(s[w.at(hold, contenders, a)]), of(s[w.at(hold, contenders, b)]))
		}))
	}
	if w.contenders[0] == 1 {
		claim(0, whichMedian, "setpx", "zookeeper", "Redis is faster than ZooKeeper: %s, setpx is acquired sooner than zookeeper, whose znodes go to all servers.")
		claim(0, whichMedian, "setpx", "db-row", "Redis is faster than a database: %s, setpx is acquired sooner than db-row, which begins a transaction first.")
	}
	if w.contenders[many] > 1 {
		claim(many, whichRequests, "fair", "setpx", "Queues save requests: %s, fair needs fewer per acquisition than setpx.")
		claim(many, whichFairness, "fair", "setpx", "Queues are fair: %s, fair shares more evenly than setpx.")
		claim(many, whichFairness, "zookeeper", "setpx", "The same is true of ZooKeeper: %s, zookeeper shares more evenly than setpx.")
		claim(many, whichRequests, "zookeeper", "zookeeper-herd", "A herd costs requests: %s, zookeeper needs fewer per acquisition than zookeeper-herd.")
	}
	return list
}

// contention names a contention in a sentence.
func (w whichResults) contention(hold, n int) string {
	return fmt.Sprintf("with %s and holds of %d ms", contenders(w.contenders[n]), w.holds[hold])
}
