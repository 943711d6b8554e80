package story

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// MaxLimits is the maximum number of marked overlaps before a violation.
const MaxLimits = 200

// Limit is a stretch in which claims overlap as a limit of leases, with the operation that begins it.
type Limit struct {
	From, To model.Stamp
	Text     string
	Op       int
}

// overlap is a claim, by its index, that begins during an earlier one.
type overlap struct{ earlier, begins int }

// EarlierLimits returns the stretches in which claims overlapped before the violation, if that is an overlap of claims and
// a fault: the checker judged them to be limits, since it names the first fault. They are known for mutexes only. More is
// set if there are more than MaxLimits.
func (s *Plot) EarlierLimits() (all []Limit, more bool) {
	v := s.Verdict
	if v == nil || s.Broken.Subject != model.Overlap || v.Status != model.Violated || v.Limit || len(s.Trace.History.Calls) > 0 {
		return nil, false
	}
	list, more := s.overlaps(v.From.Seq)
	for _, o := range list {
		a, b := &s.Claims[o.earlier], &s.Claims[o.begins]
		to := a.To
		if Before(b.To, to) {
			to = b.To
		}
		text := fmt.Sprintf("%s and %s %s: a limit of leases", a.Acquire.Client, b.Acquire.Client, cmp.Or(s.Broken.Pair, s.Broken.Window))
		all = append(all, Limit{b.From, to, text, b.Acquire.ID})
	}
	return all, more
}

// overlaps returns the first overlaps of claims of different threads before an event, in the order of the earlier claim
// and then of the later one.
func (s *Plot) overlaps(until int64) (list []overlap, more bool) {
	type thread struct {
		client string
		number int
	}
	order := make([]int, 0, len(s.Claims))
	for i := range s.Claims {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Claims[i].From.Seq, s.Claims[j].From.Seq) })
	var threads []thread
	standing := map[thread][]int{}
	for at := 0; at < len(order) && !more; {
		// Claims that begin at one event overlap each other, in either order.
		end := at
		for end < len(order) && s.Claims[order[end]].From.Seq == s.Claims[order[at]].From.Seq {
			c := &s.Claims[order[end]]
			t := thread{c.Acquire.Client, c.Acquire.Thread}
			if standing[t] == nil {
				threads = append(threads, t)
			}
			standing[t] = append(standing[t], order[end])
			end++
		}
		for ; at < end && !more; at++ {
			j := order[at]
			b := &s.Claims[j]
			if b.From.Seq >= until {
				return sorted(list), false
			}
			threads = slices.DeleteFunc(threads, func(t thread) bool {
				if more || t == (thread{b.Acquire.Client, b.Acquire.Thread}) {
					return false
				}
				standing[t] = slices.DeleteFunc(standing[t], func(i int) bool { return s.Claims[i].To.Seq <= b.From.Seq })
				for _, i := range standing[t] {
					if more = len(list) == MaxLimits; more {
						break
					}
					list = append(list, overlap{i, j})
				}
				if len(standing[t]) == 0 {
					delete(standing, t)
				}
				return standing[t] == nil
			})
		}
	}
	return sorted(list), more
}

// sorted are overlaps in the order of the claims.
func sorted(list []overlap) []overlap {
	slices.SortFunc(list, func(a, b overlap) int {
		return cmp.Or(cmp.Compare(a.earlier, b.earlier), cmp.Compare(a.begins, b.begins))
	})
	return list
}
