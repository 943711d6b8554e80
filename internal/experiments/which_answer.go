package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/labreport"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/lab"
)

// whichClose is how near to the best figure another one is as good: within so much of it.
const whichClose = 0.05

// tally is in how many comparisons a lock was best, or as good as that.
type tally struct {
	lock string
	best int
}

// answer says which lock is best at what: sentences that the figures make.
func (w whichResults) answer() (list []string) {
	if len(w.locks) < 2 {
		return nil
	}
	contentions := len(w.holds) * len(w.contenders)
	overall := map[string]int{}
	for m, measure := range whichMeasures {
		best := map[string]int{}
		for i := range w.holds {
			for j := range w.contenders {
				for _, id := range w.leaders(i, j, m) {
					best[id]++
					overall[id]++
				}
			}
		}
		list = append(list, fmt.Sprintf("The %s, or one within %.0f %% of it: %s, of %s.",
			measure.best, 100*whichClose, tallied(best, w.locks), wording.Count(contentions, "contention")))
	}
	most := w.ranked(overall)
	list = append(list, fmt.Sprintf("Most often best, or within %.0f %% of it, in all %d comparisons: %s.",
		100*whichClose, contentions*len(whichMeasures), enumerated(most[:min(3, len(most))])))
	return append(list, w.extremes()...)
}

// extremes tells what is best at each measure without contention, and with the most.
func (w whichResults) extremes() (list []string) {
	hold := slices.Index(w.holds, 20)
	if hold < 0 {
		hold = 0
	}
	for j, n := range w.contenders {
		if j > 0 && j < len(w.contenders)-1 {
			continue
		}
		var parts []string
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
			parts = append(parts, fmt.Sprintf("%s has the %s (%s)", w.locks[k], measure.best, figure))
		}
		list = append(list, fmt.Sprintf("With %s and holds of %d ms %s.", contenders(n), w.holds[hold], wording.And(parts)))
	}
	return list
}

// leader is the lock with the best median, -1 if there is no figure.
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

// leaders are the locks that are as good as the best one.
func (w whichResults) leaders(hold, contenders, measure int) (list []string) {
	k := w.leader(hold, contenders, measure)
	if k < 0 {
		return nil
	}
	best := w.figure(hold, contenders, k, measure).Median
	for k, id := range w.locks {
		if f := w.figure(hold, contenders, k, measure).Median; w.getsOn(hold, contenders, k) && math.Abs(f-best) <= whichClose*math.Abs(best) {
			list = append(list, id)
		}
	}
	return list
}

// ranked are the locks by how often they were best, the most often first.
func (w whichResults) ranked(best map[string]int) (list []tally) { return ranking(best, w.locks) }

func ranking(best map[string]int, locks []string) (list []tally) {
	for _, id := range locks {
		if best[id] > 0 {
			list = append(list, tally{id, best[id]})
		}
	}
	slices.SortStableFunc(list, func(a, b tally) int { return cmp.Compare(b.best, a.best) })
	return list
}

// tallied names the locks that were best, those of equal number together, the first four
// numbers.
func tallied(best map[string]int, locks []string) string {
	list := ranking(best, locks)
	var groups []string
	for len(list) > 0 && len(groups) < 4 {
		n := 1
		for n < len(list) && list[n].best == list[0].best {
			n++
		}
		var names []string
		for _, t := range list[:n] {
			names = append(names, t.lock)
		}
		who := wording.And(names)
		if n > 6 {
			who = wording.Count(n, "lock")
		}
		groups = append(groups, fmt.Sprintf("%s in %d", who, list[0].best))
		list = list[n:]
	}
	return strings.Join(groups, "; ")
}

func enumerated(list []tally) string {
	var names []string
	for _, t := range list {
		names = append(names, fmt.Sprintf("%s (%d)", t.lock, t.best))
	}
	return wording.And(names)
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
