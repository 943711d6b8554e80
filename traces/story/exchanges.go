package story

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Exchanges are, by operation, the segments that its client sent and received for it, and what nodes did for it. The log
// does not record the operation of a segment. It is derived from what the node did at the segment's arrival, or else from
// the operations that the client had under way when it sent the segment.
type Exchanges struct {
	*Log
	// by has the operations of a segment, by its event. There are several, at most maxDoubt, if nothing distinguishes the
	// operations of several threads.
	by map[int64][]int
	// unclear is, by operation, the number of segments that may belong to it, or to more than maxDoubt others.
	unclear map[int]int
}

// maxDoubt is the maximum number of operations of a segment that is shown at each of them.
const maxDoubt = 4

// Exchanges returns the exchanges of the run.
func (s *Log) Exchanges() *Exchanges {
	if s.exchanges == nil {
		s.exchanges = newExchanges(s)
	}
	return s.exchanges
}

// Of returns the operation that an event belongs to, 0 if none or if there are several.
func (x *Exchanges) Of(e *sim.Event) int {
	if ops := x.by[e.Seq]; len(ops) == 1 {
		return ops[0]
	}
	return 0
}

func newExchanges(s *Log) *Exchanges {
	x := &Exchanges{Log: s, by: map[int64][]int{}}
	done, crowds := x.doneAt(), newCrowds()
	under := map[string]*underWay{}
	for _, e := range x.sentByClients() {
		client := e.Peer
		if under[client] == nil {
			under[client] = newUnderWay(s.Trace, client)
		}
		u := under[client]
		u.moveTo(e.Sent)
		use := isUse(e, s.Trace)
		if ops := s.likely(done[e.Seq], client, e.Sent, use); len(ops) > maxDoubt {
			crowds.add(e.Seq, &crowd{ops: ops})
		} else if len(ops) > 0 {
			x.by[e.Seq] = ops
		} else if all, of := u.mostLikely(use); len(all) > maxDoubt {
			crowds.of(e.Seq, stretchOf{client: client, pool: of}, e.Sent)
		} else if len(all) > 0 {
			x.by[e.Seq] = idsOf(all)
		}
	}
	for i := range s.Trace.Events {
		e := &s.Trace.Events[i]
		if KindOf(s.Trace, e.Actor) != traces.ClientActor {
			continue
		}
		if request := s.Requests.Answered(e); request != nil && isSegment(e) {
			x.by[e.Seq] = x.by[request.Seq]
			crowds.answered(request.Seq)
		}
	}
	x.unclear = crowds.unclear(s.Trace)
	return x
}

// likely returns the likely operations of a segment, of those for which a node did something at its arrival.
func (s *Log) likely(done []int, client string, sent time.Duration, use bool) []int {
	var ops []*model.Operation
	for _, id := range done {
		o := s.Trace.History.Operation(id)
		if o != nil && o.Client == client && o.Call.At <= sent && returns(o) >= sent {
			ops = append(ops, o)
		}
	}
	ops = narrow(ops, func(o *model.Operation) bool { return returns(o) > sent })
	ops = narrow(ops, func(o *model.Operation) bool { return usesResource(o) == use })
	return idsOf(ops)
}

// idsOf returns the IDs of operations, ascending.
func idsOf(ops []*model.Operation) []int {
	var ids []int
	for _, o := range ops {
		ids = append(ids, o.ID)
	}
	slices.Sort(ids)
	return ids
}

// narrow returns the operations that fulfil a condition, or all if none does.
func narrow(ops []*model.Operation, condition func(*model.Operation) bool) []*model.Operation {
	var kept []*model.Operation
	for _, o := range ops {
		if condition(o) {
			kept = append(kept, o)
		}
	}
	if len(kept) == 0 {
		return ops
	}
	return kept
}

// usesResource reports whether an operation is of the resource, not of the lock.
func usesResource(o *model.Operation) bool { return o.Kind == model.Read || o.Kind == model.Write }

// isUse reports whether a segment is for the resource.
func isUse(e *sim.Event, t *traces.Trace) bool { return KindOf(t, e.Actor) == traces.ResourceActor }

// sentByClients returns the segments that clients sent, in the order in which they did.
func (x *Exchanges) sentByClients() []*sim.Event {
	var all []*sim.Event
	for i := range x.Trace.Events {
		e := &x.Trace.Events[i]
		if (e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop) && len(e.Payload) > 0 && KindOf(x.Trace, e.Peer) == traces.ClientActor {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b *sim.Event) int { return cmp.Compare(a.Sent, b.Sent) })
	return all
}

// doneAt returns, by the arrival of a request, the operations for which the node then did something.
func (x *Exchanges) doneAt() map[int64][]int {
	type pair struct {
		seq int64
		op  int
	}
	done, known := map[int64][]int{}, map[pair]bool{}
	for i := range x.Trace.History.Observations {
		o := &x.Trace.History.Observations[i]
		all := x.Requests[o.By.Conn]
		at := sort.Search(len(all), func(i int) bool { return all[i].Seq > o.Seq })
		if o.By.Op == 0 || o.By.Conn == 0 || at == 0 || all[at-1].Actor != o.Node {
			continue
		}
		if p := (pair{all[at-1].Seq, o.By.Op}); !known[p] {
			known[p] = true
			done[p.seq] = append(done[p.seq], p.op)
		}
	}
	return done
}

// The roles of the entries of an exchange.
const (
	roleSent = iota
	roleBack
	roleDid
	roleAgain // entries before it came again, word for word
)

// Exchange is everything that belongs to an operation, in its order.
type Exchange struct {
	Op      *model.Operation
	Entries []ExchangeEntry
	// Unclear is the number of segments that may belong to it, or to many others.
	Unclear int
}

// ExchangeEntry is an entry of an exchange.
type ExchangeEntry struct {
	Role  int
	Seq   int64
	At    time.Duration
	Actor string
	Text  string
	What  string // the message of a segment
	// Doubt is set if it may belong to another thread.
	Doubt bool
}

// All returns the exchanges of all operations, by ID.
func (x *Exchanges) All() []Exchange {
	all := make([]Exchange, len(x.Trace.History.Operations))
	for i := range all {
		all[i].Op = &x.Trace.History.Operations[i]
		all[i].Unclear = x.unclear[all[i].Op.ID]
	}
	for i := range x.Trace.Events {
		e := &x.Trace.Events[i]
		ops := x.by[e.Seq]
		for _, id := range ops {
			entry := x.segmentEntry(e)
			entry.Doubt = len(ops) > 1
			all[id-1].Entries = append(all[id-1].Entries, entry)
		}
	}
	x.addFailures(all)
	for i := range x.Trace.History.Observations {
		o := &x.Trace.History.Observations[i]
		id := o.By.Op
		if o.Kind == model.RecordExpired || o.Kind == model.RecordDropped {
			id = o.Owner.Op
		}
		if text := x.didText(o); x.Trace.History.Operation(id) != nil && text != "" {
			all[id-1].Entries = append(all[id-1].Entries, ExchangeEntry{Role: roleDid, Seq: o.Seq, At: o.At, Actor: o.Node, Text: text})
		}
	}
	for i := range all {
		slices.SortStableFunc(all[i].Entries, func(a, b ExchangeEntry) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq)) })
		all[i].Entries = shortened(all[i].Entries)
	}
	return all
}

// shortened replaces repetitions of a request and its answer by the first ones and an entry with their number.
func shortened(all []ExchangeEntry) []ExchangeEntry {
	const period, least = 2, 2
	again := func(i, j int) bool {
		a, b := &all[i], &all[j]
		return a.What != "" && a.Role == b.Role && a.Actor == b.Actor && a.What == b.What && a.Doubt == b.Doubt
	}
	var kept []ExchangeEntry
	for i := 0; i < len(all); {
		end := i + period
		for end+period <= len(all) && again(i, end) && again(i+1, end+1) {
			end += period
		}
		n := (end-i)/period - 1
		if n < least {
			kept = append(kept, all[i])
			i++
			continue
		}
		last := all[end-1]
		last.Role, last.Text = roleAgain, fmt.Sprintf("the same %d times more, the last from %s on", n, traces.Moment(all[end-period].At))
		kept = append(kept, all[i], all[i+1], last)
		i = end
	}
	return kept
}

// segmentEntry returns a segment as an entry: at its departure if the client sent it, at its arrival if the client
// received it.
func (x *Exchanges) segmentEntry(e *sim.Event) ExchangeEntry {
	what := x.PayloadOrDetail(e)
	lost, held := e.Kind == sim.EventDrop, ""
	if e.Late {
		held = ", held back"
	}
	if KindOf(x.Trace, e.Actor) == traces.ClientActor {
		text := fmt.Sprintf("%s (from %s, on its way for %s%s)", what, e.Peer, traces.Briefly(e.At-e.Sent), held)
		if lost {
			text = fmt.Sprintf("%s (from %s), which never arrives", what, e.Peer)
		}
		return ExchangeEntry{Role: roleBack, Seq: e.Seq, At: e.At, Actor: e.Actor, Text: text, What: what}
	}
	text := fmt.Sprintf("%s (to %s, on its way for %s%s)", what, e.Actor, traces.Briefly(e.At-e.Sent), held)
	if lost {
		text = fmt.Sprintf("%s (to %s), which never arrives", what, e.Actor)
	}
	return ExchangeEntry{Role: roleSent, Seq: e.Seq, At: e.Sent, Actor: e.Peer, Text: text, What: what}
}

// addFailures adds the failures of connections that a client noticed during one of its operations, if that was the only
// one under way. In a crowd one of several is chosen.
func (x *Exchanges) addFailures(all []Exchange) {
	under := map[string]*underWay{}
	for i := range x.Trace.Events {
		e := &x.Trace.Events[i]
		if e.Kind != sim.EventRefused && e.Kind != sim.EventReset && e.Kind != sim.EventTimeout || KindOf(x.Trace, e.Actor) != traces.ClientActor {
			continue
		}
		if under[e.Actor] == nil {
			under[e.Actor] = newUnderWay(x.Trace, e.Actor)
		}
		u := under[e.Actor]
		u.moveTo(e.At)
		ops, few := u.few(64)
		if !few {
			continue
		}
		ops = narrow(ops, func(o *model.Operation) bool {
			return o.Call.Seq <= e.Seq && (!o.Return.Happened() || e.Seq <= o.Return.Seq)
		})
		if len(ops) == 1 {
			entry := ExchangeEntry{Role: roleBack, Seq: e.Seq, At: e.At, Actor: e.Actor, Text: x.EventText(e)}
			all[ops[0].ID-1].Entries = append(all[ops[0].ID-1].Entries, entry)
		}
	}
}

// didText describes what a node or the resource did for an operation, or with its records.
func (s *Log) didText(o *model.Observation) string {
	record := s.TermsAt(o.Node).Record
	if emptied(s.Trace, o) {
		return "empties " + record + " " + RecordEntry(o) + ": it has no holder"
	}
	switch o.Kind {
	case model.RecordCreated, model.RecordChanged:
		text := "creates "
		if o.Kind == model.RecordChanged {
			text = "changes "
		}
		text += record + " " + RecordEntry(o)
		if o.ExpiresAt > 0 {
			text += ", until " + traces.Moment(o.ExpiresAt)
		}
		return text
	case model.RecordDeleted:
		return "removes " + record + " " + RecordEntry(o)
	case model.RecordExpired:
		return record + " " + RecordEntry(o) + " expires"
	case model.RecordDropped:
		return "loses " + record + " " + RecordEntry(o)
	case model.ResourceRead:
		return fmt.Sprintf("is read: %d", o.Number)
	case model.ResourceWritten:
		return fmt.Sprintf("is written: %d", o.Number)
	case model.ResourceRefused:
		return fmt.Sprintf("refuses the access: token %d is too low", o.Token)
	}
	if e := s.Trace.Event(o.Seq); e != nil && e.Detail != "" {
		return wording.Fit(wording.Printable(e.Detail), 120)
	}
	return wording.Printable(o.Event())
}

// OutcomeText describes the result that the client got.
func OutcomeText(o *model.Operation) string {
	text := fmt.Sprintf("Operation %d, %s: ", o.ID, o.Kind)
	if o.Return.Happened() {
		text += string(o.Result)
	} else {
		text += "never returns"
	}
	if o.Err != "" {
		text += " (" + o.Err + ")"
	}
	return text
}
