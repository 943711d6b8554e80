package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// track is a server's knowledge of its search. It is safe for concurrent use.
type track struct {
	mutex   sync.Mutex
	plan    pieces.Plan
	started time.Time
	pieces  map[int]*known // by their numbers
	read    map[string]bool
	aside   map[int]bucket.Aside
	workers map[string]*seen
	classes pieces.Classes
	joined  int // pieces whose results arrived while this server ran
	counts  map[string]int
	earlier time.Duration // processor time of the pieces that were done when this server began
}

// known is a piece with a result.
type known struct {
	kept    bucket.Kept
	results []*pieces.Result // the results of a piece with several, or its only one without tallies
	tally   explore.Tally
	made    pieces.Made
	stopped bool
}

// seen is a worker that has reported.
type seen struct {
	Name   string    `json:"name"`
	Last   time.Time `json:"last"`
	Pieces []int     `json:"pieces"` // by their first blocks
	Slots  int       `json:"slots"`
	Done   int       `json:"done"`
}

func newTrack(p pieces.Plan) *track {
	return &track{plan: p, started: time.Now(), pieces: map[int]*known{}, read: map[string]bool{}, aside: map[int]bucket.Aside{}, workers: map[string]*seen{}, counts: map[string]int{}}
}

// Found counts a violation.
type Found struct {
	Property  string `json:"property"`
	Limit     bool   `json:"limit"`
	Schedules int    `json:"schedules"`
	First     int    `json:"first"`
	// Causes are its causes, the most frequent first.
	Causes []Caused `json:"causes,omitempty"`
}

// Caused counts a cause of a violation.
type Caused struct {
	Cause     string `json:"cause"` // of model.Causes
	Text      string `json:"text"`
	Schedules int    `json:"schedules"`
}

// causes returns the causes of a violation.
func causes(counts map[string]int) (list []Caused) {
	for id, n := range counts { // unordered: sorted below
		list = append(list, Caused{id, model.CauseOf(id).Text, n})
	}
	slices.SortFunc(list, func(a, b Caused) int {
		return cmp.Or(cmp.Compare(b.Schedules, a.Schedules), cmp.Compare(a.Cause, b.Cause))
	})
	return list
}

// Status is the state of a search.
type Status struct {
	Title   string `json:"title"`
	Bucket  string `json:"bucket"`
	Pieces  int    `json:"pieces"`
	Done    int    `json:"done"`
	Aside   int    `json:"aside"`
	Waiting int    `json:"waiting"`
	Out     int    `json:"out"` // workers have them
	// Again is the number of these that were handed out before. Doubles and Failures count, since this server began, the
	// results that were there already and the pieces that workers gave back after an error.
	Again    int `json:"again"`
	Doubles  int `json:"doubles"`
	Failures int `json:"failures"`
	// Redelivered is how often done pieces were handed out again.
	Redelivered int           `json:"redelivered"`
	Planned     int           `json:"planned"` // schedules
	Schedules   int           `json:"schedules"`
	Classes     int           `json:"classes"`
	Found       []Found       `json:"found"`
	Happened    []Happening   `json:"happened"`
	Undecided   int           `json:"undecided"`
	Troubles    int           `json:"troubles"`
	Spent       time.Duration `json:"spentNanos"`
	Elapsed     time.Duration `json:"elapsedNanos"` // of this server
	Left        time.Duration `json:"leftNanos"`    // estimated; 0 if unknown
	Workers     []seen        `json:"workers"`
	Over        string        `json:"over,omitempty"`
}

// Happening counts the schedules with an event that must happen at least once.
type Happening struct {
	Name      string `json:"name"`
	Schedules int    `json:"schedules"`
}

// maxWorkers is the maximum number of shown workers: anyone with the token can invent names.
const maxWorkers = 20_000

// heard handles a report.
func (t *track) heard(r message.Report) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	w := t.workers[r.Worker]
	if w == nil {
		if len(t.workers) >= maxWorkers {
			return
		}
		w = &seen{Name: r.Worker}
		t.workers[r.Worker] = w
	}
	w.Last = time.Now()
	if r.Kind == message.Alive {
		w.Pieces, w.Slots = r.Pieces, r.Slots
		return
	}
	if r.Kind == message.Kept {
		w.Done++
	}
	t.counts[r.Kind]++
}

// has reports whether a result was read.
func (t *track) has(k bucket.Kept) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.read[k.Name()]
}

// sent is a result and its worker.
type sent struct{ hash, worker string }

func (s sent) String() string { return fmt.Sprintf("SHA-256 %s of the worker %s", s.hash, s.worker) }

// add adds a result. It returns two results of its range that differ, nil if there are none.
func (t *track) add(k bucket.Kept, r *pieces.Result, made pieces.Made, first bool) (differ []sent) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.read[k.Name()] = true
	n := k.Range.First / t.plan.Size
	if old := t.pieces[n]; old != nil {
		use, differs := bucket.Choose([]*pieces.Result{old.results[0], r})
		if differs >= 0 {
			return []sent{{old.kept.Hash, old.made.Worker}, {k.Hash, made.Worker}}
		}
		if use == 0 {
			return nil
		}
	}
	one := &known{kept: k, made: made, stopped: r.Stop < r.End || r.Sampled}
	for _, tally := range r.Tallies() {
		counts := *tally
		t.classes.Add(counts.Classes, 1<<16)
		counts.Classes = nil
		one.tally.Join(&counts)
	}
	if r.Sketch != nil {
		_ = t.classes.AddSketch(r.Sketch) // the merge reports the error
	}
	slim := *r
	slim.Blocks, slim.Whole, slim.Sketch = nil, nil, nil
	if r.Environment() {
		slim.Blocks = map[int]explore.Tally{0: {Troubles: []explore.Trouble{{Kind: explore.Inconclusive}}}}
	}
	one.results = []*pieces.Result{&slim}
	t.pieces[n] = one
	if first {
		t.earlier += made.Spent
	} else {
		t.joined++
	}
	return nil
}

// forget drops a piece whose result is unusable.
func (t *track) forget(k bucket.Kept) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	delete(t.read, k.Name())
	if n := k.Range.First / t.plan.Size; t.pieces[n] != nil && t.pieces[n].kept == k {
		delete(t.pieces, n)
	}
}

// setAside adds pieces that were set aside, and returns the new ones.
func (t *track) setAside(list []bucket.Aside) (fresh []bucket.Aside) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, a := range list {
		n := a.First / t.plan.Size
		if _, there := t.aside[n]; !there && t.plan.Has(a.Range()) {
			t.aside[n] = a
			fresh = append(fresh, a)
		}
	}
	return fresh
}

// open returns the pieces that have no result and are not set aside, before the one with which the search ends.
func (t *track) open() (list []explore.Range) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for n := range t.plan.Pieces() {
		one := t.pieces[n]
		if _, aside := t.aside[n]; one == nil && !aside {
			list = append(list, t.plan.Range(n))
		}
		if one != nil && one.stopped && len(list) == 0 {
			return nil // later pieces do not belong to the search
		}
	}
	return list
}

// results returns the results to merge, in their order. Missing is set if pieces are missing.
func (t *track) results() (list []bucket.Kept, missing bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for n := range t.plan.Pieces() {
		one := t.pieces[n]
		if one == nil {
			missing = true
			continue
		}
		list = append(list, one.kept)
		if one.stopped && !missing {
			return list, false
		}
	}
	return list, missing
}

// worker returns the worker that sent the result of the piece with a schedule, and the piece.
func (t *track) worker(schedule int) (worker string, r explore.Range) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	n := min(schedule/explore.BlockSize, t.plan.Blocks-1) / t.plan.Size
	if one := t.pieces[n]; one != nil {
		worker = one.made.Worker
	}
	return worker, t.plan.Range(n)
}

// steady returns those of the merged pieces whose results do not depend on the machine, with their workers.
func (t *track) steady() (list []bucket.Kept, workers []string) {
	all, _ := t.results()
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, k := range all {
		if one := t.pieces[k.Range.First/t.plan.Size]; !one.results[0].Environment() {
			list, workers = append(list, k), append(workers, one.made.Worker)
		}
	}
	return list, workers
}

// status returns the state of the search.
func (t *track) status() Status {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	s := Status{
		Pieces: t.plan.Pieces(), Done: len(t.pieces), Aside: len(t.aside), Classes: t.classes.Count(),
		Doubles: t.counts[message.Double], Failures: t.counts[message.Failure], Elapsed: time.Since(t.started), Found: []Found{}, Workers: []seen{},
	}
	found, why := map[model.Violation]Found{}, explore.Tally{}
	for _, n := range slices.Sorted(maps.Keys(t.pieces)) {
		one := t.pieces[n]
		s.Schedules += one.tally.Schedules
		s.Undecided += one.tally.Undecided
		s.Troubles += len(one.tally.Troubles)
		s.Spent += one.made.Spent
		s.Redelivered += one.made.Tries - 1
		for i, count := range one.tally.Happened {
			for len(s.Happened) <= i {
				s.Happened = append(s.Happened, Happening{})
			}
			s.Happened[i].Schedules += count
		}
		for v, count := range one.tally.Violations { // unordered: each by itself
			f, there := found[v]
			if !there {
				f = Found{Property: v.Property, Limit: v.Limit, First: one.tally.First[v].Schedule}
			}
			f.Schedules += count
			found[v] = f
		}
		why.Join(&explore.Tally{Violations: one.tally.Violations, Causes: one.tally.Causes})
	}
	for v, f := range found { // unordered: sorted below
		f.Causes = causes(why.Causes[v])
		s.Found = append(s.Found, f)
	}
	slices.SortFunc(s.Found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Property, b.Property))
	})
	for _, name := range slices.Sorted(maps.Keys(t.workers)) {
		s.Workers = append(s.Workers, *t.workers[name])
	}
	if left := s.Pieces - s.Done - s.Aside; t.joined > 0 && left > 0 {
		s.Left = (s.Elapsed / time.Duration(t.joined) * time.Duration(left)).Round(time.Second)
	}
	return s
}
