package checker

import (
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// BoundedSize is judged of locks that say how much they keep in a process. It is violated when
// a Release returns, no thread of the process holds the lock or has an operation under way, and
// the process keeps more of something than the lock has said ([model.Operation].Sizes). Not
// applicable if no process was ever at rest so, or if the lock has said nothing.
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
	Verdict:  (*Judge).boundedSize,
}

func (j *Judge) boundedSize() model.Verdict {
	looked := false
	for i := range j.h.Operations {
		r := &j.h.Operations[i]
		if len(r.Sizes) == 0 || !j.restsAfter(r) {
			continue
		}
		looked = true
		for _, s := range r.Sizes {
			if s.N > s.Most {
				sentence := r.Client + " kept " + strconv.Itoa(s.N) + " " + s.What + " when none of its threads held the lock or waited for it, and has said that " + strconv.Itoa(s.Most) + " is the most."
				return with(violated(sentence, r.Return, j.h.End, []int{r.ID}, nil), KeepsTooMuch)
			}
		}
	}
	if !looked {
		return notApplicable("No process that neither held the lock nor waited for it has said what it keeps.")
	}
	return holds()
}

// restsAfter reports whether, in the instant in which a Release returned, no other operation of its
// process was under way, and no thread of it held the lock.
func (j *Judge) restsAfter(r *model.Operation) bool {
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		if op == r || op.Client != r.Client || op.Call.At > r.Return.At {
			continue
		}
		if !op.Return.Happened() || op.Return.At >= r.Return.At {
			return false
		}
		if acquired(op) && op.ID != r.Acquisition && j.claimAt(op, r.Return) != nil {
			return false
		}
	}
	return true
}
