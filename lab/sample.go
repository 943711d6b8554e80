package lab

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Sample has the measurements of one run. All times count from its start.
type Sample struct {
	// Tries are the calls of Acquire, in the order of their returns.
	Tries []Try `json:"tries"`
	// Waiting are, for the calls still waiting at the planned end of the run ([Plan].Until), the times that they had waited.
	Waiting []time.Duration `json:"waiting,omitempty"`
	// Tasks are whole tasks of threads, such as the requests of their own clients.
	Tasks []Task `json:"tasks,omitempty"`
	// From is when counting began: see [Plan].
	From time.Duration `json:"from,omitempty"`
	// Requests is the number of requests that the servers have served, by the node and the name.
	Requests map[string]map[string]int `json:"requests"`
	// Received is the number of segments that clients have received, pushes included.
	Received int `json:"received"`
	// Moments is the number of segments that arrived at all servers together in each moment, from From on. The plan has the
	// length of a moment ([Plan].Moment); the last listed moment is the last with an arrival. On real servers it is the number
	// sent.
	Moments []int `json:"moments,omitempty"`
	// Counts are figures that the experiment set.
	Counts map[string]float64 `json:"counts,omitempty"`
	// Elapsed is when the last thread finished.
	Elapsed time.Duration `json:"elapsed"`
	// Cut is why the run was cut before that, if it was.
	Cut string `json:"cut,omitempty"`
	// Hash is the hash over all events: equal hashes, equal runs. It is 0 for real servers.
	Hash uint64 `json:"hash"`
	// Events is the number of events of the run.
	Events int64 `json:"events"`
}

// Try is a call of Acquire, with the hold that followed.
type Try struct {
	Process int           `json:"process"`
	Thread  int           `json:"thread"`
	Call    time.Duration `json:"call"`
	Return  time.Duration `json:"return"`
	Result  Result        `json:"result"`
	// Release and Released are the call and the return of Release; 0 without one.
	Release  time.Duration `json:"release,omitempty"`
	Released time.Duration `json:"released,omitempty"`
	// Lost is set if the holder learnt that the lock was no longer its own, before the
	// release or from its answer.
	Lost bool `json:"lost,omitempty"`
}

// Wait returns how long the Acquire took.
func (t *Try) Wait() time.Duration { return t.Return - t.Call }

// Result is the result of an Acquire.
type Result string

// The results: with the lock; without it, when the allowed time was over; with an error.
const (
	Acquired Result = "acquired"
	TimedOut Result = "timed out"
	Failed   Result = "failed"
)

// Task is one whole task of a thread.
type Task struct {
	// Due is when it should have begun: tasks of open arrivals may begin later.
	Due    time.Duration `json:"due"`
	Return time.Duration `json:"return"`
	Failed bool          `json:"failed,omitempty"`
	// Requests is the number of its requests, if the experiment counts them.
	Requests int `json:"requests,omitempty"`
}

// Count returns the number of tries with the given result.
func (s *Sample) Count(r Result) (n int) {
	for i := range s.Tries {
		if s.Tries[i].Result == r {
			n++
		}
	}
	return n
}

// Waits returns the times that successful tries took, in milliseconds, sorted. It includes calls that still waited at the
// planned end of the run, with the time until then: otherwise a lock that lets some wait for ever would seem quick.
func (s *Sample) Waits() (list []float64) {
	for _, d := range s.Waiting {
		list = append(list, Milliseconds(d))
	}
	for i := range s.Tries {
		if t := &s.Tries[i]; t.Result == Acquired {
			list = append(list, Milliseconds(t.Wait()))
		}
	}
	slices.Sort(list)
	return list
}

// Served returns how many requests of the given names a node has served; of all names if none is given.
func (s *Sample) Served(node string, names ...string) (n int) {
	if len(names) == 0 {
		for _, k := range s.Requests[node] { // unordered: a sum
			n += k
		}
		return n
	}
	for _, name := range names {
		n += s.Requests[node][name]
	}
	return n
}

// Asked returns the number of clients' requests that all servers have served. Requests of other
// servers ([stage.Peer]) do not count.
func (s *Sample) Asked() (n int) {
	for node, served := range s.Requests { // unordered: a sum
		n += s.Served(node) - served[stage.Peer]
	}
	return n
}

// arrives counts a segment that arrives at a server, at a time from From on.
func (s *Sample) arrives(at, moment time.Duration) {
	if moment <= 0 {
		return
	}
	for n := int(at / moment); n >= len(s.Moments); {
		s.Moments = append(s.Moments, 0)
	}
	s.Moments[at/moment]++
}

// Busiest returns the largest number of segments that arrived at the servers in one moment, of the moments that began
// between from and to. moment is their length in the plan; times are from From on.
func (s *Sample) Busiest(moment, from, to time.Duration) (most int) {
	for i := int((from + moment - 1) / moment); i < len(s.Moments) && time.Duration(i)*moment < to; i++ {
		most = max(most, s.Moments[i])
	}
	return most
}

// Handovers returns the times from the call of a Release to the return of the next Acquire that
// succeeded, in milliseconds, for each Release during which a thread was waiting. The next
// holder need not be that thread.
func (s *Sample) Handovers() (list []float64) {
	holds, waiters := s.holds(), s.waiters()
	for i := 1; i < len(holds); i++ {
		if before, t := holds[i-1], holds[i]; before.Release > 0 && t.Return >= before.Release && waiters(before) > 0 {
			list = append(list, Milliseconds(t.Return-before.Release))
		}
	}
	slices.Sort(list)
	return list
}

// waiters returns a function that returns the number of waiting threads when a hold is released, including one whose wait
// ends at that very time.
func (s *Sample) waiters() func(hold *Try) int {
	var calls, returns []time.Duration
	for i := range s.Tries {
		calls, returns = append(calls, s.Tries[i].Call), append(returns, s.Tries[i].Return)
	}
	for _, waited := range s.Waiting {
		calls = append(calls, s.Elapsed-waited)
	}
	slices.Sort(calls)
	slices.Sort(returns)
	before := func(times []time.Duration, at time.Duration) int {
		n, _ := slices.BinarySearch(times, at)
		return n
	}
	return func(hold *Try) int {
		n := before(calls, hold.Release+1) - before(returns, hold.Release)
		if hold.Return == hold.Release {
			n-- // the holder itself
		}
		return n
	}
}

// Overlaps returns the number of acquisitions while another thread held the lock: it had not called Release.
func (s *Sample) Overlaps() (n int) {
	end := time.Duration(-1)
	for _, t := range s.holds() {
		if t.Return < end {
			n++
		}
		until := t.Release
		if until == 0 {
			until = s.Elapsed
		}
		end = max(end, until)
	}
	return n
}

// Lost returns the number of holders that lost the lock before they released it.
func (s *Sample) Lost() (n int) {
	for i := range s.Tries {
		if s.Tries[i].Lost {
			n++
		}
	}
	return n
}

// holds returns the successful tries, in the order in which they got the lock.
func (s *Sample) holds() (list []*Try) {
	for i := range s.Tries {
		if t := &s.Tries[i]; t.Result == Acquired {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *Try) int { return cmp.Compare(a.Return, b.Return) })
	return list
}

// Fairness returns Jain's index of how often each of n threads had the lock: 1 if all had it equally often, 1/n if one had
// it always. Jain, Chiu, Hawe: A Quantitative Measure of Fairness and Discrimination (1984).
func (s *Sample) Fairness(n int) float64 {
	type thread struct{ process, number int }
	had := map[thread]float64{}
	total, squares := 0.0, 0.0
	for _, t := range s.holds() {
		k := thread{t.Process, t.Thread}
		total++
		squares += 2*had[k] + 1
		had[k]++
	}
	return total * total / (float64(n) * squares)
}

// Milliseconds returns a time in milliseconds.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
