package checker

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// VainRequest is judged for locks whose threads first wait within their process. It is violated when an Acquire asks the
// store for the lock while another thread of its process has it, and does not get the lock by that try. The other thread
// has it from the return of its Acquire until its Release returns, its lease is lost, or its validity ends. Not applicable
// if it is not known when Acquires asked ([model.Operation].Tries), as for clients that find the serving node by requests
// of their own, or if no Acquire was called while another thread of its process had the lock.
const VainRequest = "vain-request"

var vainRequest = Property{
	ID: VainRequest, Letter: "P", Legend: "asks the store for a lock that its own process has",
	About: "a thread does not ask the store for a lock that another thread of its process has",
	Description: model.Description{
		Asks:   "A thread does not ask {store} for a lock that another thread of its process has.",
		Window: "the process has the lock",
	},
	Doc: "A lock whose threads wait within their process first (`Promises` in its `cell.Lock`) sends the store no request that cannot succeed: while a " +
		"thread has the lock, the others wait in the process. A lock that lets the next thread go on before its own release has been answered " +
		"sends such requests. They cost the store much and harm no lock.",
	Promised: true,
	Verdict:  func(j *Judge) model.Verdict { return vainRequestJudge{j}.verdict() },
}

// vainRequestJudge judges a history by vain-request.
type vainRequestJudge struct{ base *Judge }

// verdict goes by time and not by the order of events: the next thread may ask in the instant in which a release is
// answered.
func (j vainRequestJudge) verdict() model.Verdict {
	asked, looked := false, false
	for i := range j.base.h.Operations {
		y := &j.base.h.Operations[i]
		if y.Kind != model.Acquire {
			continue
		}
		asked = asked || len(y.Tries) > 0
		for _, x := range j.beside(y) {
			looked = true
			for n, at := range y.Tries {
				granted := holders.Acquired(y) && n == len(y.Tries)-1
				if !granted && at > x.Return.At && at < j.hasUntil(x) {
					sentence := j.base.who(y) + " asked " + j.base.o.Terms.Store + " for the lock while " + j.base.who(x) + " had it."
					from := x.Return
					if r := j.base.h.Operation(j.base.Released(x.ID)); r != nil && r.Call.At <= at {
						from = r.Call
					}
					return WithCause(violated(sentence, from, j.base.StampAt(j.hasUntil(x)), []int{x.ID, y.ID}, nil), model.AsksInVain)
				}
			}
		}
	}
	switch {
	case !asked:
		return notApplicable("It is not known when Acquires asked the store.")
	case !looked:
		return notApplicable("No Acquire was called while another thread of its process had the lock.")
	}
	return holds()
}

// beside returns the acquisitions of other threads of the process that had the lock during an Acquire.
func (j vainRequestJudge) beside(y *model.Operation) (list []*model.Operation) {
	if j.base.index.holds == nil {
		lists := map[string][]spans.Span{}
		for i := range j.base.h.Operations {
			if x := &j.base.h.Operations[i]; holders.Acquired(x) {
				lists[x.Client] = append(lists[x.Client], spans.Span{From: x.Return.Seq, To: int64(j.hasUntil(x)), At: i})
			}
		}
		j.base.index.holds = map[string]*spans.Set{}
		for client, list := range lists { // unordered: each for itself
			j.base.index.holds[client] = spans.New(list)
		}
	}
	until := spans.Endless
	if y.Return.Happened() {
		until = y.Return.Seq
	}
	found := j.base.index.holds[y.Client].Overlapping(nil, int64(y.Call.At), until)
	slices.Sort(found)
	for _, i := range found {
		if x := &j.base.h.Operations[i]; x.Thread != y.Thread {
			list = append(list, x)
		}
	}
	return list
}

// hasUntil returns when a thread no longer has the lock as far as its process knows: when its Release has returned, or
// when its claim has ended otherwise.
func (j vainRequestJudge) hasUntil(x *model.Operation) time.Duration {
	until, r := j.base.h.End.At, j.base.h.Operation(j.base.Released(x.ID))
	if r != nil && r.Return.Happened() {
		until = r.Return.At
	}
	for _, i := range j.base.ClaimsOf(x.ID) {
		c := &j.base.Claims()[i]
		if c.Timed {
			until = min(until, c.Until)
		}
		if c.Stop.Happened() && (r == nil || c.Stop.Seq != r.Call.Seq) {
			until = min(until, c.Stop.At)
		}
	}
	return until
}
