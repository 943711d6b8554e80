package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// maxLimits is the most overlaps before a violation that are marked.
const maxLimits = 200

// limit is a stretch in which claims overlap that is a limit of leases, with the operation that begins it.
type limit struct {
	from, to model.Stamp
	text     string
	op       int
}

// overlap is a claim, by its index, that begins while another one stands.
type overlap struct{ stands, begins int }

// earlierLimits are the stretches, before a violation that is an overlap of claims and a
// fault, in which claims overlapped as well: the checker judged those to be limits, for it names
// the first fault. They are known of mutexes only. More is set if there are more than
// maxLimits.
func (s *story) earlierLimits() (all []limit, more bool) {
	v := s.verdict
	if v == nil || s.broken.Subject != model.Overlap || v.Status != model.Violated || v.Limit || len(s.t.History.Calls) > 0 {
		return nil, false
	}
	list, more := s.overlaps(v.From.Seq)
	for _, o := range list {
		a, b := &s.claims[o.stands], &s.claims[o.begins]
		to := a.to
		if before(b.to, to) {
			to = b.to
		}
		text := fmt.Sprintf("%s and %s %s: a limit of leases", a.acquire.Client, b.acquire.Client, cmp.Or(s.broken.Pair, s.broken.Window))
		all = append(all, limit{b.from, to, text, b.acquire.ID})
	}
	return all, more
}

// overlaps are the first overlaps of claims of different threads before an event, by the claims
// that stand and those that begin.
func (s *story) overlaps(until int64) (list []overlap, more bool) {
	type thread struct {
		client string
		number int
	}
	order := make([]int, 0, len(s.claims))
	for i := range s.claims {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.claims[i].from.Seq, s.claims[j].from.Seq) })
	var threads []thread
	standing := map[thread][]int{}
	for at := 0; at < len(order) && !more; {
		// Claims that begin at one event overlap each other, either way about.
		end := at
		for end < len(order) && s.claims[order[end]].from.Seq == s.claims[order[at]].from.Seq {
			c := &s.claims[order[end]]
			t := thread{c.acquire.Client, c.acquire.Thread}
			if standing[t] == nil {
				threads = append(threads, t)
			}
			standing[t] = append(standing[t], order[end])
			end++
		}
		for ; at < end && !more; at++ {
			j := order[at]
			b := &s.claims[j]
			if b.from.Seq >= until {
				return sorted(list), false
			}
			threads = slices.DeleteFunc(threads, func(t thread) bool {
				if more || t == (thread{b.acquire.Client, b.acquire.Thread}) {
					return false
				}
				standing[t] = slices.DeleteFunc(standing[t], func(i int) bool { return s.claims[i].to.Seq <= b.from.Seq })
				for _, i := range standing[t] {
					if more = len(list) == maxLimits; more {
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
		return cmp.Or(cmp.Compare(a.stands, b.stands), cmp.Compare(a.begins, b.begins))
	})
	return list
}
