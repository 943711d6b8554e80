package export

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// FormError is why no form of test shows a counterexample.
type FormError struct{ Reason string }

func (e *FormError) Error() string { return "no test can be made of it: " + e.Reason }

func noForm(format string, args ...any) error { return &FormError{fmt.Sprintf(format, args...)} }

// kind is the kind of a step of a test.
type kind string

const (
	begins    kind = "begin"  // a call
	ends      kind = "end"    // a call returns
	awaits    kind = "await"  // a message is held
	lets      kind = "let"    // a message that was held goes on
	cancels   kind = "cancel" // the context of a call ends
	stops     kind = "stop"   // a client's process
	continues kind = "go on"  // a client's process
)

// step is one step of a test.
type step struct {
	kind   kind
	seq    int64
	at     time.Duration
	client string
	op     *model.Operation
	fate   *fate
}

// fate is the fault that a request, or its answer, suffers.
type fate struct {
	op     *model.Operation
	client string
	word   string
	// lost is set if the answer is lost, heldRequest and heldAnswer if they are late.
	lost, heldRequest, heldAnswer bool
	// broken is set on a held answer that is lost in the end.
	broken bool
	name   string // the variable
	// after is the number of requests with the same word that pass before it.
	after int
}

// Script has the steps of a trace that a test makes.
type Script struct {
	Trace   *traces.Trace
	clients []string
	steps   []step
	fates   []*fate
	quoted  []string         // the texts for «#n»
	words   map[int64]string // of requests, by their events
	schema  []string         // statements that set the server up
	verdict *model.Verdict
	until   int64
	ttl     time.Duration
	store   protocol
	decided *decision
	// missing is set for a story of sentinels, which has no steps.
	missing *missing
	// pauses is set if a client's process is stopped, and midCall if that is in the middle of a call.
	pauses, midCall bool
}

// Read reads the story of a trace's violation. It returns a [FormError] if the violation needs more than tests have.
func Read(t *traces.Trace) (*Script, error) {
	v := t.Verdict()
	if v == nil || v.Status != model.Violated {
		return nil, noForm("the trace was kept for no violation")
	}
	p, ok := protocols[t.Store]
	if !ok {
		return nil, noForm("tests on real servers of %s are not supported", t.Store)
	}
	ttl, err := ttlOf(t)
	if err != nil {
		return nil, err
	}
	s := &Script{Trace: t, verdict: v, store: p, ttl: ttl, until: v.To.Seq}
	if s.until == 0 {
		s.until = t.History.End.Seq
	}
	switch topology := parameter(t, "topology"); topology {
	case "":
	case "sentinel":
		return s, s.readMissing()
	default:
		return nil, noForm("tests with the topology %s are not supported", topology)
	}
	if err := s.refuse(); err != nil {
		return nil, err
	}
	s.readWords()
	if s.decided, err = decides(s); err != nil {
		return nil, err
	}
	ops := s.relevant()
	for _, op := range ops {
		s.until = max(s.until, op.Return.Seq)
	}
	s.calls(ops)
	s.messages(ops)
	s.processes(ops)
	slices.SortStableFunc(s.steps, func(a, b step) int { return cmp.Compare(a.seq, b.seq) })
	s.first()
	for i := range s.steps {
		if st := &s.steps[i]; st.client != "" && !slices.Contains(s.clients, st.client) {
			s.clients = append(s.clients, st.client)
		}
	}
	inOrder(t, s.clients)
	return s, nil
}

// together is the time within which steps follow each other without a pause.
const together = 100 * time.Millisecond

// first lets calls that return about when the deciding one begins return before it: on a real server it might be faster.
func (s *Script) first() {
	if !s.decided.waits {
		return
	}
	i := slices.IndexFunc(s.steps, func(st step) bool { return st.kind == begins && st.op == s.decided.at })
	for ; i >= 0 && i+1 < len(s.steps) && s.steps[i+1].kind == ends && s.steps[i+1].op != s.decided.at && s.steps[i+1].at-s.steps[i].at < together; i++ {
		s.steps[i], s.steps[i+1] = s.steps[i+1], s.steps[i]
	}
}

// ttlOf returns the lease that the lock requests.
func ttlOf(t *traces.Trace) (time.Duration, error) {
	text := cmp.Or(parameter(t, "ttl"), "2s")
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, noForm("the parameter ttl=%.100q is no lease", text)
	}
	return d, nil
}

// refuse refuses stories that have no form.
func (s *Script) refuse() error {
	if err := s.refuseCalls(); err != nil {
		return err
	}
	h := &s.Trace.History
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Seq > s.until {
			break
		}
		client := s.isClient(o.Node)
		switch o.Kind {
		case model.Crashed, model.Promoted, model.Returned, model.Parted, model.ClockJumped, model.ClockOff:
			if client && o.Kind == model.Crashed {
				return noForm("the process of %s dies (event %d)", o.Node, o.Seq)
			}
			return noForm("%s on %s is needed (event %d); simrun confirm shows it", o.Kind, cmp.Or(o.Node, "the network"), o.Seq)
		case model.Paused:
			if !client {
				return noForm("%s hangs (event %d); simrun confirm shows it", o.Node, o.Seq)
			}
		}
	}
	return nil
}

// written are the kinds of operations in tests.
var written = []model.OpKind{model.Acquire, model.Release, model.Extend, model.Read, model.Write}

// refuseCalls refuses calls that have no form.
func (s *Script) refuseCalls() error {
	h := &s.Trace.History
	if len(h.Calls) > 0 {
		return noForm("the lock is no mutex")
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Call.Seq <= s.until && op.Thread > 0 {
			return noForm("a client has several threads")
		}
		if !slices.Contains(written, op.Kind) {
			return noForm("%q is no call of a mutex", op.Kind)
		}
	}
	return nil
}

func (s *Script) isClient(name string) bool {
	return slices.ContainsFunc(s.Trace.Actors, func(a traces.Actor) bool { return a.Name == name && a.Kind == traces.ClientActor })
}

// relevant returns the operations that decide, those that they belong to, and those that change the record or the resource
// meanwhile.
func (s *Script) relevant() []*model.Operation {
	h := &s.Trace.History
	chosen := map[int]bool{}
	choose := func(id int) {
		if op := h.Operation(id); op != nil {
			chosen[id], chosen[op.Acquisition] = true, true
		}
	}
	alone := ofOneClient[s.verdict.Property] && !s.store.stays
	if alone {
		choose(s.decided.at.ID)
	}
	for _, id := range s.verdict.Operations {
		if !alone {
			choose(id)
		}
	}
	from := s.until
	for id := range chosen { // unordered: the earliest of them
		if op := h.Operation(id); op != nil {
			from = min(from, s.granted(op))
		}
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Seq < from || o.Seq > s.until || o.By.Op == 0 || alone {
			continue
		}
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged, model.RecordDeleted:
			choose(o.By.Op)
		case model.ResourceRead, model.ResourceWritten:
			if s.verdict.Property == lostUpdate {
				choose(o.By.Op)
			}
		}
	}
	var list []*model.Operation
	for i := range h.Operations {
		op := &h.Operations[i]
		access := op.Kind == model.Read || op.Kind == model.Write
		if chosen[op.ID] && op.Call.Seq <= s.until && (!access || s.verdict.Property == lostUpdate) {
			list = append(list, op)
		}
	}
	return list
}

const lostUpdate = checker.NoLostUpdate

// ofOneClient are the properties that one client violates, whatever others do meanwhile.
var ofOneClient = map[string]bool{checker.TruthfulAcquire: true, checker.TruthfulRelease: true, checker.TruthfulExtend: true, checker.NoOrphan: true}

// granted returns when an operation first changed a record, or was called: a call that waits can also come later.
func (s *Script) granted(op *model.Operation) int64 {
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		if o.By.Op == op.ID && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) {
			return o.Seq
		}
	}
	return op.Call.Seq
}

// calls plans the calls and their returns.
func (s *Script) calls(ops []*model.Operation) {
	for _, op := range ops {
		at := step{kind: begins, seq: op.Call.Seq, at: op.Call.At, client: op.Client, op: op}
		if e := s.firstRequest(op); e != nil { // it polled before
			at.seq, at.at = e.Seq, e.At
		}
		s.steps = append(s.steps, at)
		if op.Cancelled.Happened() && op.Cancelled.Seq <= s.until {
			s.steps = append(s.steps, step{kind: cancels, seq: op.Cancelled.Seq, at: op.Cancelled.At, client: op.Client, op: op})
		}
		if op.Return.Seq == 0 || op.Return.Seq > s.until {
			continue
		}
		end := step{kind: ends, seq: op.Return.Seq, at: op.Return.At, client: op.Client, op: op}
		s.steps = append(s.steps, end)
	}
}

// firstRequest returns the request by which a call got the lock, if it had asked in vain before.
func (s *Script) firstRequest(op *model.Operation) *sim.Event {
	if op.Kind != model.Acquire || s.store.number != nil { // a client that is notified does not poll
		return nil
	}
	granted := s.granted(op)
	if granted == op.Call.Seq {
		return nil
	}
	var first, last *sim.Event
	for i := range s.Trace.Events {
		e := &s.Trace.Events[i]
		if e.Seq >= granted {
			break
		}
		if s.request(e) && e.Peer == op.Client && e.Seq > op.Call.Seq {
			if first == nil {
				first = e
			}
			last = e
		}
	}
	if first == last {
		return nil
	}
	return last
}

// readWords reads the words of what clients send.
func (s *Script) readWords() {
	s.words = map[int64]string{}
	readers := map[int]func([]byte) string{}
	for i := range s.Trace.Events {
		e := &s.Trace.Events[i]
		if e.Kind != sim.EventDeliver || !s.isClient(e.Peer) || s.isClient(e.Actor) {
			continue
		}
		read := s.store.word
		if s.store.words != nil {
			if readers[e.Conn] == nil {
				readers[e.Conn] = s.store.words()
			}
			read = readers[e.Conn]
		}
		if word := read(e.Payload); word != "" {
			s.words[e.Seq] = word
		}
	}
}

// pooler returns the mode and the size of the trace's pooler; the mode is empty if there is none.
func (s *Script) pooler() (mode string, size int) {
	if mode = parameter(s.Trace, "pooler"); s.store.pooler == "" || mode == "none" {
		return "", 0
	}
	const usual = 20 // PgBouncer's default_pool_size
	size, _ = strconv.Atoi(parameter(s.Trace, "pooler-connections"))
	return mode, cmp.Or(size, usual)
}

// request reports whether an event is a request of a client that reaches a node.
func (s *Script) request(e *sim.Event) bool {
	return e.Kind == sim.EventDeliver && s.isClient(e.Peer) && !s.isClient(e.Actor) && s.words[e.Seq] != ""
}

// messages plans the messages that are lost or late.
func (s *Script) messages(ops []*model.Operation) {
	type queue struct {
		op   int
		word string
	}
	passed := map[queue]int{}
	after := map[int]int64{} // the last request of an operation that suffers a fault
	for i := range s.Trace.Events {
		e := &s.Trace.Events[i]
		if !s.request(e) || e.Seq > s.until {
			continue
		}
		op := of(ops, e)
		if op == nil || e.Seq < s.begun(op) {
			continue
		}
		f := &fate{op: op, client: e.Peer, word: s.words[e.Seq]}
		answer := s.answerTo(i)
		if answer != nil && bytes.HasPrefix(answer.Payload, []byte("-NOSCRIPT")) { // it is sent again with the whole script
			continue
		}
		q := queue{op.ID, f.word}
		f.heldRequest = e.Late
		if answer != nil {
			f.lost = answer.Kind != sim.EventDeliver && !e.Late
			f.heldAnswer = answer.Late && answer.Kind == sim.EventDeliver
		}
		cancelledMeanwhile := answer != nil && op.Cancelled.Happened() && e.Seq < op.Cancelled.Seq && op.Cancelled.Seq < answer.Seq
		if cancelledMeanwhile {
			f.lost, f.heldAnswer, f.broken = false, true, answer.Kind != sim.EventDeliver
		}
		inOrder := !f.heldRequest && s.waitsFor(op, after[op.ID], e.Seq)
		if f.lost || f.heldRequest || f.heldAnswer || inOrder {
			after[op.ID] = e.Seq
		}
		if inOrder {
			f.heldRequest = true
		}
		if !f.lost && !f.heldRequest && !f.heldAnswer {
			passed[q]++
			continue
		}
		f.after, passed[q] = passed[q], 0
		s.fates = append(s.fates, f)
		f.name = fmt.Sprintf("%s%d", "message", len(s.fates))
		s.befall(f, e, answer)
	}
}

// waitsFor reports whether others act between a message of an operation that suffers a fault and its next request, which
// must then wait for them.
func (s *Script) waitsFor(op *model.Operation, from, to int64) bool {
	return from > 0 && slices.ContainsFunc(s.steps, func(st step) bool {
		return st.client != op.Client && (st.kind == begins || st.kind == ends) && from < st.seq && st.seq < to
	})
}

// begun returns where the call begins in the test.
func (s *Script) begun(op *model.Operation) int64 {
	for i := range s.steps {
		if s.steps[i].kind == begins && s.steps[i].op == op {
			return s.steps[i].seq
		}
	}
	return op.Call.Seq
}

// befall plans when a message is held, and when it goes on.
func (s *Script) befall(f *fate, e, answer *sim.Event) {
	add := func(k kind, seq int64, at time.Duration) {
		s.steps = append(s.steps, step{kind: k, seq: seq, at: at, client: f.client, fate: f, op: f.op})
	}
	switch {
	case f.heldRequest:
		sent := e.Seq
		for i := range s.Trace.Events { // the first event after it was sent
			if o := &s.Trace.Events[i]; e.Late && o.At >= e.Sent {
				sent = min(sent, o.Seq)
				break
			}
		}
		add(awaits, max(sent, s.begun(f.op)), e.Sent)
		add(lets, e.Seq, e.At)
	case f.heldAnswer:
		add(awaits, e.Seq, e.At)
		add(lets, answer.Seq, answer.At)
	}
}

// of returns the operation that an event's request belongs to.
func of(ops []*model.Operation, e *sim.Event) *model.Operation {
	sent := cmp.Or(e.Sent, e.At)
	for _, op := range ops {
		if op.Client == e.Peer && op.Call.At <= sent && (sent <= op.Return.At || !op.Return.Happened()) && op.Call.Seq < e.Seq {
			return op
		}
	}
	return nil
}

// answerTo returns the event by which a request's client gets its answer, or loses it.
func (s *Script) answerTo(at int) *sim.Event {
	e := &s.Trace.Events[at]
	for i := at + 1; i < len(s.Trace.Events); i++ {
		a := &s.Trace.Events[i]
		if a.Conn != e.Conn || a.Actor != e.Peer || !s.store.answers(a.Payload, e.Payload) {
			continue
		}
		switch a.Kind {
		case sim.EventDeliver, sim.EventDrop, sim.EventReset, sim.EventClose:
			return a
		}
	}
	return nil
}

// processes plans pauses.
func (s *Script) processes(ops []*model.Operation) {
	first := s.until
	for _, op := range ops {
		first = min(first, op.Call.Seq)
	}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		concerned := slices.ContainsFunc(ops, func(op *model.Operation) bool { return op.Client == o.Node })
		if !concerned || o.Seq < first || o.Seq > s.until || o.Kind != model.Paused && o.Kind != model.Resumed {
			continue
		}
		k := stops
		if o.Kind == model.Resumed {
			k = continues
		}
		s.pauses = true
		for _, op := range ops {
			if op.Client == o.Node && op.Call.Seq < o.Seq && (o.Seq < op.Return.Seq || !op.Return.Happened()) {
				s.midCall = true
			}
		}
		s.steps = append(s.steps, step{kind: k, seq: o.Seq, at: o.At, client: o.Node})
	}
}
