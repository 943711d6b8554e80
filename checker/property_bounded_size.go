package checker

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// BoundedSize is judged for locks that declare how much they keep in a process. It is violated when a Release returns, no
// thread of the process holds the lock or has an operation under way, and the process keeps more of something than the
// lock declared ([model.Operation].Sizes). Not applicable if no process was ever at rest in this way, or if the lock
// declares nothing.
const BoundedSize = "bounded-size"

var boundedSize = Property{
	ID: BoundedSize, Letter: "G", Legend: "a process keeps more and more for its locks",
	About: "what a process keeps for its locks is bounded while it neither holds one nor waits for one",
	Description: model.Description{
		Asks:   "What a process keeps for its locks does not grow.",
		Window: "keeps too much",
	},
	Doc: "A lock may say what it keeps in a process while none of its threads holds the lock or waits for it, and how much that is at most " +
		"(`Client.Bound`, `Promises` in its `cell.Lock`): entries of a map, connections, subscriptions. What has an entry for each name that was " +
		"ever locked grows for as long as the process lives.",
	Promised: true,
	Verdict:  func(j *Judge) model.Verdict { return boundedSizeJudge{j}.verdict() },
}

// boundedSizeJudge judges a history by bounded-size.
type boundedSizeJudge struct{ base *Judge }

func (j boundedSizeJudge) verdict() model.Verdict {
	looked := false
	for i := range j.base.h.Operations {
		r := &j.base.h.Operations[i]
		if len(r.Sizes) == 0 || !j.restsAfter(r) {
			continue
		}
		looked = true
		for _, s := range r.Sizes {
			if s.N > s.Most {
				sentence := r.Client + " kept " + strconv.Itoa(s.N) + " " + s.What + " when none of its threads held the lock or waited for it, and has said that " + strconv.Itoa(s.Most) + " is the most."
				return WithCause(violated(sentence, r.Return, j.base.h.End, []int{r.ID}, nil), model.KeepsTooMuch)
			}
		}
	}
	if !looked {
		return notApplicable("No process that neither held the lock nor waited for it has said what it keeps.")
	}
	return holds()
}

// restsAfter reports whether, at the instant in which a Release returned, its process had no other operation under way and
// none of its threads held the lock.
func (j boundedSizeJudge) restsAfter(r *model.Operation) bool {
	if j.base.index.busy == nil {
		j.base.index.busy, j.base.index.claimed = j.allBusy(), j.allClaimed()
	}
	now := int64(r.Return.At)
	for _, i := range j.base.index.busy[r.Client].Overlapping(nil, now, now) {
		if &j.base.h.Operations[i] != r {
			return false
		}
	}
	for _, i := range j.base.index.claimed[r.Client].Overlapping(nil, r.Return.Seq, r.Return.Seq) {
		if c := &j.base.Claims()[i]; c.Acquire.ID != r.Acquisition && c.Stands(r.Return) {
			return false
		}
	}
	return true
}

// allBusy returns the operations of each client, by their numbers, as stretches of time from their calls to their returns.
func (j boundedSizeJudge) allBusy() map[string]*spans.Set {
	return byClient(len(j.base.h.Operations), func(i int) (string, spans.Span) {
		op := &j.base.h.Operations[i]
		s := spans.Span{From: int64(op.Call.At), To: spans.Endless, At: i}
		if op.Return.Happened() {
			s.To = int64(op.Return.At) + 1
		}
		return op.Client, s
	})
}

// allClaimed returns the claims of each client, by their numbers.
func (j boundedSizeJudge) allClaimed() map[string]*spans.Set {
	return byClient(len(j.base.Claims()), func(i int) (string, spans.Span) {
		c := &j.base.Claims()[i]
		return c.Acquire.Client, spans.Span{From: c.Start.Seq, To: j.base.ClaimEnd(c).Seq + 1, At: i}
	})
}

// byClient returns the spans of each client.
func byClient(n int, of func(int) (string, spans.Span)) map[string]*spans.Set {
	lists := map[string][]spans.Span{}
	for i := range n {
		client, s := of(i)
		lists[client] = append(lists[client], s)
	}
	all := map[string]*spans.Set{}
	for client, list := range lists { // unordered: each for itself
		all[client] = spans.New(list)
	}
	return all
}
