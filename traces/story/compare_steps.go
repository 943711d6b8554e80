package story

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// acquisitionKey names an acquisition in both runs: the n-th of a client.
type acquisitionKey struct {
	client string
	n      int
}

// keysOf maps the acquisitions of a run to their keys and back, in the order of their calls.
func keysOf(h *model.History) (keys map[int]acquisitionKey, ids map[acquisitionKey]int) {
	keys, ids = map[int]acquisitionKey{}, map[acquisitionKey]int{}
	count := map[string]int{}
	for i := range h.Operations {
		if o := &h.Operations[i]; o.Kind == model.Acquire {
			key := acquisitionKey{o.Client, count[o.Client]}
			count[o.Client]++
			keys[o.ID], ids[key] = key, o.ID
		}
	}
	return keys, ids
}

// mostCompared is the number of acquisitions whose steps are compared if no verdict names any.
const mostCompared = 8

// alignAcquisitions selects the same acquisitions for both stories: those that the verdicts name, or else the first that
// go on when the runs begin to differ.
func (d *Difference) alignAcquisitions() {
	aKeys, aIDs := keysOf(&d.A.Trace.History)
	bKeys, bIDs := keysOf(&d.B.Trace.History)
	wanted := map[acquisitionKey]bool{}
	for _, x := range []struct {
		s    *Side
		keys map[int]acquisitionKey
	}{{&d.A, aKeys}, {&d.B, bKeys}} {
		for _, id := range x.s.namedAcquisitions() {
			wanted[x.keys[id]] = true
		}
	}
	if len(wanted) == 0 {
		for i := range d.A.Trace.History.Operations {
			o := &d.A.Trace.History.Operations[i]
			if o.Kind == model.Acquire && d.A.LastOf[o.ID] >= d.First.apart && len(wanted) < mostCompared {
				wanted[aKeys[o.ID]] = true
			}
		}
	}
	d.A.setAcquisitions(wanted, aIDs, d.First.apart)
	d.B.setAcquisitions(wanted, bIDs, d.First.apart)
}

// setAcquisitions makes the story about the wanted acquisitions, from the first one or from the event on, whichever is
// earlier.
func (s *Side) setAcquisitions(wanted map[acquisitionKey]bool, ids map[acquisitionKey]int, event int64) {
	s.Acquisitions = nil
	for key := range wanted { // unordered: they are sorted below
		if id := ids[key]; id != 0 {
			s.Acquisitions = append(s.Acquisitions, id)
		}
	}
	slices.Sort(s.Acquisitions)
	s.Clients = s.involved()
	if s.Verdict != nil {
		s.from, s.to = s.reach()
		return
	}
	s.from, s.to = event, event
	for _, id := range s.Acquisitions {
		s.from = min(s.from, s.Trace.History.Operation(id).Call.Seq)
		s.to = max(s.to, s.LastOf[id])
		for _, c := range s.claimsOf[id] {
			s.to = max(s.to, min(c.To.Seq, s.Trace.LastSeq()))
		}
	}
}

// mostAligned is the maximum number of steps of each run that are compared.
const mostAligned = 1500

// chosenSteps returns all steps of a run in their order, and which of them are shown: those that a picture of the run
// alone has or, without a violation, the weightiest, of these the nearest to where the runs begin to differ. The steps
// include those up to the run's end, since the other run may show a step that only this one has.
func (s *Side) chosenSteps(differs int64) (all []candidate, told map[int]bool) {
	c := chooser{Plot: s.Plot}
	all = c.markViolation(c.candidates())
	focus := differs
	if s.Verdict != nil {
		focus = s.Verdict.From.Seq
	}
	distance := func(c candidate) int64 { return max(c.Seq-focus, focus-c.Seq) }
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(distance(a), distance(b)))
	})
	list = heaviest(list)
	all = s.withTheRest(all)
	slices.SortStableFunc(all, byTime)
	all = all[:min(len(all), mostAligned)]
	told = map[int]bool{}
	for i, c := range all {
		told[i] = slices.ContainsFunc(list, func(o candidate) bool { return o.Step == c.Step })
	}
	return all, told
}

// withTheRest adds the steps of the whole run that the story leaves out because of their time.
func (s *Side) withTheRest(all []candidate) []candidate {
	from, to := s.from, s.to
	s.from, s.to = 0, s.Trace.LastSeq()
	c := chooser{Plot: s.Plot}
	rest := c.candidates()
	s.from, s.to = from, to
	has := map[Step]bool{}
	for _, c := range all {
		plain := c.Step
		plain.Violating = false
		has[plain] = true
	}
	for _, c := range rest {
		if !has[c.Step] {
			all = append(all, c)
		}
	}
	return all
}

// alignSteps pairs the steps of both runs. A step is in both if the same actor does the same in the same order; before the
// first event that differs, also at the same time. With a real run the texts are compared without the parts that differ
// from run to run. A step of only one run is shown alone; but not before the first event that differs, where both runs had
// it even if only one story has, and not where the other trace leaves out events.
func (d *Difference) alignSteps() {
	focus := cmp.Or(d.First.Number, d.First.apart)
	a, chosenA := d.A.chosenSteps(focus)
	b, chosenB := d.B.chosenSteps(focus)
	one, other, from := a, b, d.differsFrom()
	if d.OfReal() {
		one, other, from = d.shaped(&d.A, a), d.shaped(&d.B, b), 0
	}
	i, k := 0, 0
	for _, pair := range append(matches(one, other, from), [2]int{len(a), len(b)}) {
		d.alone(a[i:pair[0]], b[k:pair[1]], func(n int) bool { return chosenA[i+n] }, func(n int) bool { return chosenB[k+n] })
		if i, k = pair[0], pair[1]; i == len(a) {
			break
		}
		if chosenA[i] || chosenB[k] {
			d.Rows = append(d.Rows, Row{&a[i].Step, &b[k].Step})
		}
		i, k = i+1, k+1
	}
	d.Rows = slices.DeleteFunc(d.Rows, func(r Row) bool {
		if r.A != nil && r.B != nil || r.Violating() {
			return false
		}
		one, other := &d.A, &d.B
		if r.A == nil {
			one, other = other, one
		}
		return r.Shown().Seq < d.First.apart || other.hides(r.Shown(), one)
	})
	if d.OfReal() { // every step differs in time, and all are shown
		d.endWithReal()
		return
	}
	d.From = slices.IndexFunc(d.Rows, func(r Row) bool { return r.A == nil || r.B == nil || r.A.At != r.B.At })
	if d.From < 0 {
		d.From = len(d.Rows)
	}
}

// alone adds the chosen steps that only one of the runs has, in the order of time.
func (d *Difference) alone(a, b []candidate, chosenA, chosenB func(int) bool) {
	i, k := 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case k == len(b) || i < len(a) && a[i].At <= b[k].At:
			if chosenA(i) {
				d.Rows = append(d.Rows, Row{A: &a[i].Step})
			}
			i++
		default:
			if chosenB(k) {
				d.Rows = append(d.Rows, Row{B: &b[k].Step})
			}
			k++
		}
	}
}

// differsFrom returns the time of the first event that differs, or that cannot be compared; the end if there is none.
func (d *Difference) differsFrom() time.Duration {
	if d.First.apart == 0 {
		return max(d.A.Trace.EndAt(), d.B.Trace.EndAt())
	}
	return d.First.apartAt
}

// matches returns the indexes of the steps that are in both: a longest common subsequence, in which steps of the same time
// count half as much again.
func matches(a, b []candidate, differs time.Duration) (pairs [][2]int) {
	same := func(x, y *candidate) int16 {
		switch {
		case x.Actor != y.Actor || x.Text != y.Text:
			return 0
		case x.At == y.At:
			return 3
		case x.At >= differs && y.At >= differs:
			return 2
		}
		return 0
	}
	best := make([][]int16, len(a)+1) // length of the best match of the remaining steps
	for i := range best {
		best[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			best[i][k] = max(best[i+1][k], best[i][k+1])
			if n := same(&a[i], &b[k]); n > 0 {
				best[i][k] = max(best[i][k], best[i+1][k+1]+n)
			}
		}
	}
	for i, k := 0, 0; i < len(a) && k < len(b); {
		n := same(&a[i], &b[k])
		switch {
		case n > 0 && best[i][k] == best[i+1][k+1]+n:
			pairs = append(pairs, [2]int{i, k})
			i, k = i+1, k+1
		case best[i+1][k] >= best[i][k+1]:
			i++
		default:
			k++
		}
	}
	return pairs
}

// DiffersAt returns the time from which the runs differ: of the first event, or of the first step that differs if all
// events are the same.
func (d *Difference) DiffersAt() time.Duration {
	if d.First.Number == 0 && d.From < len(d.Rows) {
		return d.Rows[d.From].Shown().At
	}
	return min(d.differsFrom(), max(d.A.Trace.EndAt(), d.B.Trace.EndAt()))
}
