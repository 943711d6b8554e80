package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// What is promised.
const (
	leastRatio = 100 // legal mutex: porcupine's time over the monitor's
	mostGrowth = 10  // illegal: the monitor's time with pending calls over that without
)

// row is one history, judged by both.
type row struct {
	name    string
	calls   int
	legal   bool
	pending int
	monitor time.Duration
	search  time.Duration
	stopped bool // the search did not end
	ratio   bool // leastRatio is promised
	flat    bool // mostGrowth is promised
	decided bool // by the monitor alone
}

// bench is a measurement.
type bench struct {
	limit    time.Duration
	divide   int
	progress func(string)
}

// measure judges every history.
func (b *bench) measure() ([]row, error) {
	var rows []row
	add := func(r row, spec model.Spec, calls []model.Call) error {
		b.progress(r.name)
		if err := b.judge(&r, spec, calls); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		rows = append(rows, r)
		return nil
	}
	mutex := model.Spec{Kind: model.KindMutex}
	holds := 10_000 / b.divide
	name := fmt.Sprintf("mutex, %d holds by 4 clients", holds)
	if err := add(row{name: name, legal: true, ratio: true}, mutex, histories.Long(mutex, holds, 4, 1)); err != nil {
		return nil, err
	}
	for _, pending := range []int{0, 4, 8, 12} {
		n := 200 / min(b.divide, 10)
		name := fmt.Sprintf("mutex, %d holds by 4 clients, then one too many; %d acquires of unknown outcome", n, pending)
		if err := add(row{name: name, pending: pending, flat: true}, mutex, illegal(n, pending)); err != nil {
			return nil, err
		}
	}
	for _, spec := range []model.Spec{{Kind: model.KindReadWrite}, {Kind: model.KindSemaphore, Permits: 8}} {
		n := 1000 / b.divide
		calls := histories.Long(spec, n, 16, 1)
		if spec.Kind == model.KindSemaphore { // its failed tries are left to a search
			calls = slices.DeleteFunc(calls, func(c model.Call) bool { return c.Try && c.Outcome == model.Failed })
		}
		name := fmt.Sprintf("%s, %d holds by 16 clients", spec.Kind, n)
		if err := add(row{name: name, legal: true}, spec, calls); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// illegal is a history with so many holds, in the last of which somebody else
// acquires as well, and which acquires of unknown outcome overlap.
func illegal(holds, pending int) []model.Call {
	calls := histories.Long(model.Spec{Kind: model.KindMutex}, holds, 4, 1)
	calls = slices.DeleteFunc(calls, func(c model.Call) bool { return c.Outcome == model.Failed })
	shift := int64(pending)
	last, id := int64(0), 0
	for i := range calls {
		c := &calls[i]
		c.Call += shift
		c.Return += shift
		last, id = max(last, c.Return), max(id, c.ID)
	}
	next := func(client string, call, back int64, outcome model.Outcome) {
		id++
		calls = append(calls, model.Call{
			ID: id, Client: client, Object: "o", Op: model.Acquire, Call: call, Return: back, Outcome: outcome,
		})
	}
	for i := range pending {
		next(fmt.Sprintf("lost%d", i+1), int64(i+1), 0, model.Unknown)
	}
	next("late1", last+1, last+2, model.OK)
	next("late2", last+3, last+4, model.OK)
	return calls
}

// judge measures one history.
func (b *bench) judge(r *row, spec model.Spec, calls []model.Call) error {
	r.calls = len(calls)
	var found monitor.Result
	r.monitor = best(50, func() {
		m, err := monitor.New(spec)
		if err != nil {
			panic(err) // the specs are above
		}
		found = monitor.Feed(m, calls)
	})
	r.decided = found.Status != model.Undecided
	if r.decided && (found.Status == model.Holds) != r.legal {
		return fmt.Errorf("the monitor says %s: %+v", found.Status, found.Violation)
	}
	ops, m := objects.Operations(spec, calls), objects.Model(spec)
	result := porcupine.Unknown
	r.search = best(3, func() { result = porcupine.CheckOperationsTimeout(m, ops, b.limit) })
	r.stopped = result == porcupine.Unknown
	if !r.stopped && (result == porcupine.Ok) != r.legal {
		return fmt.Errorf("porcupine says %s", result)
	}
	return nil
}

// best is the shortest time of up to so many repetitions, as many as fit in two
// seconds.
func best(most int, f func()) time.Duration {
	shortest, sum := time.Duration(0), time.Duration(0)
	for i := 0; i < most && (i == 0 || sum < 2*time.Second); i++ {
		start := time.Now()
		f()
		d := time.Since(start)
		sum += d
		if i == 0 || d < shortest {
			shortest = d
		}
	}
	return shortest
}

// complaints are the promises that are not kept.
func complaints(rows []row) (list []string) {
	base := time.Duration(0)
	for _, r := range rows {
		if !r.decided {
			list = append(list, r.name+": the monitor did not decide")
		}
		if r.ratio && r.search < leastRatio*r.monitor {
			list = append(list, fmt.Sprintf("%s: the monitor took %v and porcupine %v, less than %d times as long", r.name, r.monitor, r.search, leastRatio))
		}
		if r.flat && r.pending == 0 {
			base = r.monitor
		}
		if r.flat && r.monitor > mostGrowth*base {
			list = append(list, fmt.Sprintf("%s: the monitor took %v, more than %d times the %v without", r.name, r.monitor, mostGrowth, base))
		}
	}
	return list
}

// table is the rows as Markdown.
func table(rows []row) string {
	var w strings.Builder
	w.WriteString("| history | calls | legal | monitor | porcupine | times |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		legal, than := "yes", ""
		if !r.legal {
			legal = "no"
		}
		search := rounded(r.search)
		if r.stopped {
			search, than = "stopped after "+search, "> "
		}
		fmt.Fprintf(&w, "| %s | %d | %s | %s | %s | %s%.0f |\n", r.name, r.calls, legal, rounded(r.monitor), search, than,
			float64(r.search)/float64(max(1, r.monitor)))
	}
	return strings.TrimSpace(w.String())
}

// rounded is a duration with two digits.
func rounded(d time.Duration) string {
	unit := time.Duration(1)
	for unit*100 <= d {
		unit *= 10
	}
	return d.Round(unit).String()
}
