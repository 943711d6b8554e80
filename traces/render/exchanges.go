package render

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

// exchanges are, by operation, what its client sent for it, what came back, and what nodes
// did. The log does not say for which operation a segment was sent. It follows from what
// the node did at its arrival, or else from the operations that its client was in when it
// was sent.
type exchanges struct {
	// by are the operations of a segment, by its event. There are several, maxDoubt at most, if
	// nothing distinguishes the operations of several threads.
	by map[int64][]int
	// unclear are, by operation, how many segments may belong to it, or to too many others.
	unclear map[int]int
}

// maxDoubt is of how many operations at most a segment may be, to be shown at each of them.
const maxDoubt = 4

// of is the operation that an event belongs to, 0 if none or if there are several.
func (x *exchanges) of(e *sim.Event) int {
	if ops := x.by[e.Seq]; len(ops) == 1 {
		return ops[0]
	}
	return 0
}

func (s *story) newExchanges() exchanges {
	x := exchanges{by: map[int64][]int{}}
	done, crowds := s.doneAt(), newCrowds()
	under := map[string]*underWay{}
	for _, e := range s.sentByClients() {
		client := e.Peer
		if under[client] == nil {
			under[client] = newUnderWay(s.t, client)
		}
		u := under[client]
		u.moveTo(e.Sent)
		use := isUse(e, s.t)
		if ops := s.of(done[e.Seq], client, e.Sent, use); len(ops) > maxDoubt {
			crowds.add(e.Seq, &crowd{ops: ops})
		} else if len(ops) > 0 {
			x.by[e.Seq] = ops
		} else if all, of := u.mostLikely(use); len(all) > maxDoubt {
			crowds.of(e.Seq, stretchOf{client: client, pool: of}, e.Sent)
		} else if len(all) > 0 {
			x.by[e.Seq] = idsOf(all)
		}
	}
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if kindOf(s.t, e.Actor) != traces.ClientActor {
			continue
		}
		if request := s.requests.answered(e); request != nil && isSegment(e) {
			x.by[e.Seq] = x.by[request.Seq]
			crowds.answered(request.Seq)
		}
	}
	x.unclear = crowds.unclear(s.t)
	return x
}

// of are, of the operations for which a node did something at the arrival of a segment, the
// likely ones.
func (s *story) of(done []int, client string, sent time.Duration, use bool) []int {
	var ops []*model.Operation
	for _, id := range done {
		o := s.t.History.Operation(id)
		if o != nil && o.Client == client && o.Call.At <= sent && returns(o) >= sent {
			ops = append(ops, o)
		}
	}
	ops = narrow(ops, func(o *model.Operation) bool { return returns(o) > sent })
	ops = narrow(ops, func(o *model.Operation) bool { return usesResource(o) == use })
	return idsOf(ops)
}

// idsOf are the IDs of operations, ascending.
func idsOf(ops []*model.Operation) []int {
	var ids []int
	for _, o := range ops {
		ids = append(ids, o.ID)
	}
	slices.Sort(ids)
	return ids
}

// narrow are those that fulfil a condition, or all if none does.
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
func isUse(e *sim.Event, t *traces.Trace) bool { return kindOf(t, e.Actor) == traces.ResourceActor }

// sentByClients are the segments that clients sent, in the order in which they did.
func (s *story) sentByClients() []*sim.Event {
	var all []*sim.Event
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if (e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop) && len(e.Payload) > 0 && kindOf(s.t, e.Peer) == traces.ClientActor {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b *sim.Event) int { return cmp.Compare(a.Sent, b.Sent) })
	return all
}

// doneAt are, by the arrival of a request, the operations for which the node then did
// something.
func (s *story) doneAt() map[int64][]int {
	type pair struct {
		seq int64
		op  int
	}
	done, known := map[int64][]int{}, map[pair]bool{}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		all := s.requests[o.By.Conn]
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

// role is what an entry of an exchange is.
const (
	roleSent = iota
	roleBack
	roleDid
	roleAgain // entries before it came again, word for word
)

// exchange is what belongs to an operation, in its order.
type exchange struct {
	op      *model.Operation
	entries []entryOf
	// unclear is how many segments may belong to it, or to many others.
	unclear int
}

// entryOf is an entry of an exchange.
type entryOf struct {
	role  int
	seq   int64
	at    time.Duration
	actor string
	text  string
	what  string // of a segment: what it says
	// doubt is set if it may be another thread's.
	doubt bool
}

// all are the exchanges of all operations, by ID.
func (s *story) allExchanges() []exchange {
	all := make([]exchange, len(s.t.History.Operations))
	for i := range all {
		all[i].op = &s.t.History.Operations[i]
		all[i].unclear = s.exchanges.unclear[all[i].op.ID]
	}
	for i := range s.t.Events {
		e := &s.t.Events[i]
		ops := s.exchanges.by[e.Seq]
		for _, id := range ops {
			entry := s.segmentEntry(e)
			entry.doubt = len(ops) > 1
			all[id-1].entries = append(all[id-1].entries, entry)
		}
	}
	s.addFailures(all)
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		id := o.By.Op
		if o.Kind == model.RecordExpired || o.Kind == model.RecordDropped {
			id = o.Owner.Op
		}
		if text := s.didText(o); s.t.History.Operation(id) != nil && text != "" {
			all[id-1].entries = append(all[id-1].entries, entryOf{role: roleDid, seq: o.Seq, at: o.At, actor: o.Node, text: text})
		}
	}
	for i := range all {
		slices.SortStableFunc(all[i].entries, func(a, b entryOf) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq)) })
		all[i].entries = shortened(all[i].entries)
	}
	return all
}

// shortened has, of a request and its answer that come again and again, the first ones, and
// an entry that says how often.
func shortened(all []entryOf) []entryOf {
	const period, least = 2, 2
	again := func(i, j int) bool {
		a, b := &all[i], &all[j]
		return a.what != "" && a.role == b.role && a.actor == b.actor && a.what == b.what && a.doubt == b.doubt
	}
	var kept []entryOf
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
		last.role, last.text = roleAgain, fmt.Sprintf("the same %d times more, the last from %s on", n, traces.Moment(all[end-period].at))
		kept = append(kept, all[i], all[i+1], last)
		i = end
	}
	return kept
}

// segmentEntry is a segment as an entry: what was sent at its departure, what came back at
// its arrival.
func (s *story) segmentEntry(e *sim.Event) entryOf {
	what := s.payloadOrDetail(e)
	lost, held := e.Kind == sim.EventDrop, ""
	if e.Late {
		held = ", held back"
	}
	if kindOf(s.t, e.Actor) == traces.ClientActor {
		text := fmt.Sprintf("%s (from %s, on its way for %s%s)", what, e.Peer, traces.Briefly(e.At-e.Sent), held)
		if lost {
			text = fmt.Sprintf("%s (from %s), which never arrives", what, e.Peer)
		}
		return entryOf{role: roleBack, seq: e.Seq, at: e.At, actor: e.Actor, text: text, what: what}
	}
	text := fmt.Sprintf("%s (to %s, on its way for %s%s)", what, e.Actor, traces.Briefly(e.At-e.Sent), held)
	if lost {
		text = fmt.Sprintf("%s (to %s), which never arrives", what, e.Actor)
	}
	return entryOf{role: roleSent, seq: e.Seq, at: e.Sent, actor: e.Peer, text: text, what: what}
}

// addFailures adds the failures of connections that a client noticed in one of its
// operations, if that was the only one. In a crowd it is taken for one of several.
func (s *story) addFailures(all []exchange) {
	under := map[string]*underWay{}
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if e.Kind != sim.EventRefused && e.Kind != sim.EventReset && e.Kind != sim.EventTimeout || kindOf(s.t, e.Actor) != traces.ClientActor {
			continue
		}
		if under[e.Actor] == nil {
			under[e.Actor] = newUnderWay(s.t, e.Actor)
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
			entry := entryOf{role: roleBack, seq: e.Seq, at: e.At, actor: e.Actor, text: s.eventText(e)}
			all[ops[0].ID-1].entries = append(all[ops[0].ID-1].entries, entry)
		}
	}
}

// didText says what a node or the resource did for an operation, or with what is left of it.
func (s *story) didText(o *model.Observation) string {
	record := s.termsAt(o.Node).Record
	switch o.Kind {
	case model.RecordCreated, model.RecordChanged:
		text := "creates "
		if o.Kind == model.RecordChanged {
			text = "changes "
		}
		text += record + " " + recordEntry(o)
		if o.ExpiresAt > 0 {
			text += ", until " + traces.Moment(o.ExpiresAt)
		}
		return text
	case model.RecordDeleted:
		return "removes " + record + " " + recordEntry(o)
	case model.RecordExpired:
		return record + " " + recordEntry(o) + " expires"
	case model.RecordDropped:
		return "loses " + record + " " + recordEntry(o)
	case model.ResourceRead:
		return fmt.Sprintf("is read: %d", o.Number)
	case model.ResourceWritten:
		return fmt.Sprintf("is written: %d", o.Number)
	case model.ResourceRefused:
		return fmt.Sprintf("refuses the access: token %d is too low", o.Token)
	}
	if e := s.t.Event(o.Seq); e != nil && e.Detail != "" {
		return wording.Fit(wording.Printable(e.Detail), 120)
	}
	return wording.Printable(o.Event())
}
