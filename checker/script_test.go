package checker

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// script writes a history by hand. Every step is an event of its own, one
// millisecond after the one before.
type script struct{ h model.History }

const lockName = "lock"

func (s *script) tick() model.Stamp {
	s.h.End.Seq++
	s.h.End.At += time.Millisecond
	return s.h.End
}

// sleep lets time pass without an event.
func (s *script) sleep(d time.Duration) { s.h.End.At += d }

// call calls an operation; the client "c1/2" is thread 2 of c1.
func (s *script) call(client string, kind model.OpKind, acquisition int) int {
	op := model.Operation{
		ID: len(s.h.Operations) + 1, Client: client, Kind: kind,
		Acquisition: acquisition, Call: s.tick(), Result: model.Unknown,
	}
	if n := len(client); n > 2 && client[n-2] == '/' {
		op.Client, op.Thread = client[:n-2], int(client[n-1]-'0')
	}
	if kind == model.Acquire {
		op.Acquisition = op.ID
	}
	s.h.Operations = append(s.h.Operations, op)
	return op.ID
}

func (s *script) acquire(client string) int          { return s.call(client, model.Acquire, 0) }
func (s *script) release(client string, acq int) int { return s.call(client, model.Release, acq) }

// set returns an operation.
func (s *script) set(id int, result model.Outcome, with ...func(*model.Operation)) {
	op := s.h.Operation(id)
	op.Return, op.Result = s.tick(), result
	for _, f := range with {
		f(op)
	}
}

func (s *script) ok(id int, with ...func(*model.Operation)) { s.set(id, model.OK, with...) }
func (s *script) failed(id int)                             { s.set(id, model.Failed) }
func (s *script) unknown(id int)                            { s.set(id, model.Unknown) }
func (s *script) notHeld(id int) {
	s.set(id, model.Failed, func(op *model.Operation) { op.NotHeld = true })
}

// hold acquires at once.
func (s *script) hold(client string, with ...func(*model.Operation)) int {
	id := s.acquire(client)
	s.ok(id, with...)
	return id
}

// free releases at once.
func (s *script) free(client string, acq int) int {
	id := s.release(client, acq)
	s.ok(id)
	return id
}

func token(n int64) func(*model.Operation) {
	return func(op *model.Operation) { op.Fenced, op.Token = true, n }
}

func until(d time.Duration) func(*model.Operation) {
	return func(op *model.Operation) { op.Leased, op.Until = true, d }
}

func notifies(op *model.Operation) { op.Notifies = true }

// lost signals the loss of an acquisition's lease.
func (s *script) lost(acq int) {
	op := s.h.Operation(acq)
	op.Notifies, op.Lost = true, s.tick()
}

// see adds an observation.
func (s *script) see(o model.Observation) int64 {
	o.Stamp = s.tick()
	s.h.Observations = append(s.h.Observations, o)
	return o.Seq
}

// world is an observation of a process or a node.
func (s *script) world(kind model.ObservationKind, node string) int64 {
	return s.see(model.Observation{Kind: kind, Node: node})
}

// origin is on behalf of an operation; 0 is nobody.
func (s *script) origin(id int) model.Origin {
	if op := s.h.Operation(id); op != nil {
		return model.Origin{Client: op.Client, Conn: 1, Op: id}
	}
	return model.Origin{}
}

// key is an observation of the lock's key on the primary r1: kind, the
// operation that wrote the value, the one that caused this.
func (s *script) key(kind model.ObservationKind, owner, by int, with ...func(*model.Observation)) int64 {
	o := model.Observation{
		Kind: kind, Node: "r1", Authority: "r1", Key: lockName,
		Owner: s.origin(owner), By: s.origin(by), ExpiresAt: time.Hour,
	}
	for _, f := range with {
		f(&o)
	}
	return s.see(o)
}

func forEver(o *model.Observation) { o.ExpiresAt = 0 }
func replica(o *model.Observation) { o.Node, o.Authority = "r2", "" }
func on(node string) func(*model.Observation) {
	return func(o *model.Observation) { o.Node, o.Authority = node, node }
}
func (s *script) from(id int) func(*model.Observation) {
	return func(o *model.Observation) { o.OldOwner = s.origin(id) }
}

// granted acquires at once, and the store gives away the key.
func (s *script) granted(client string, with ...func(*model.Operation)) int {
	id := s.acquire(client)
	s.key(model.RecordCreated, id, id)
	s.ok(id, with...)
	return id
}

// freed releases at once, and the store deletes the key.
func (s *script) freed(client string, acq int) int {
	id := s.release(client, acq)
	s.key(model.RecordDeleted, acq, id)
	s.ok(id)
	return id
}

// read and write access the resource at once, under an acquisition.
func (s *script) read(client string, acq int, value int64) int {
	id := s.call(client, model.Read, acq)
	s.ok(id, func(op *model.Operation) { op.Value = value })
	return id
}

func (s *script) write(client string, acq int, value int64) int {
	id := s.call(client, model.Write, acq)
	s.h.Operation(id).Value = value
	s.accept(id, value)
	s.ok(id)
	return id
}

func (s *script) accept(id int, value int64) int64 {
	return s.see(model.Observation{Kind: model.ResourceWritten, Node: "resource", By: s.origin(id), Number: value})
}

// history returns what was written.
func (s *script) history() *model.History {
	s.h.LockName = lockName
	s.tick()
	return &s.h
}

// testCase is a history and what one property should come to in it.
type testCase struct {
	name  string
	write func(*script)
	want  model.Status
	// sentence, ops and seqs are compared if they are set.
	sentence string
	ops      []int
	seqs     []int64
	o        Options
}

func judgeCases(t *testing.T, property string, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var s script
			c.write(&s)
			h := s.history()
			c.o.Terms.Record = "key"
			vs := Check(h, c.o, property)
			if len(vs) != 1 || vs[0].Property != property {
				t.Fatalf("Check returned %+v", vs)
			}
			v := vs[0]
			if v.Status != c.want {
				t.Fatalf("%s (%s), want %s", v.Status, v.Sentence, c.want)
			}
			if c.sentence != "" && v.Sentence != c.sentence {
				t.Errorf("sentence\n got %s\nwant %s", v.Sentence, c.sentence)
			}
			if c.ops != nil && !slices.Equal(v.Operations, c.ops) {
				t.Errorf("operations %v, want %v", v.Operations, c.ops)
			}
			if c.seqs != nil && !slices.Equal(v.Observations, c.seqs) {
				t.Errorf("observations %v, want %v", v.Observations, c.seqs)
			}
			wellFormed(t, h, v)
			if told := Check(toldOf(h), c.o, property)[0]; !reflect.DeepEqual(told, v) {
				t.Errorf("with observations that no verdict rests on: %s (%s), want %s (%s)", told.Status, told.Sentence, v.Status, v.Sentence)
			}
		})
	}
}

// toldOf is the history with unjudged observations of all kinds, at every node, for every
// authority, beside each of the others.
func toldOf(h *model.History) *model.History {
	var nodes, authorities []string
	for _, o := range h.Observations {
		nodes, authorities = append(nodes, o.Node), append(authorities, o.Authority)
	}
	slices.Sort(nodes)
	slices.Sort(authorities)
	nodes, authorities = slices.Compact(nodes), slices.Compact(authorities)
	told := *h
	told.Observations = nil
	for _, o := range h.Observations {
		told.Observations = append(told.Observations, o)
		for _, note := range notes {
			for _, node := range nodes {
				for _, authority := range authorities {
					told.Observations = append(told.Observations, model.Observation{
						Stamp: o.Stamp, Kind: model.Noted, Node: node, Authority: authority, Owner: o.Owner, By: o.By,
						Note: &note, Epoch: 7, ExpiresAt: time.Hour,
					})
				}
			}
		}
	}
	return &told
}

// notes are of each kind that a reader tells apart: no verdict rests on any.
var notes = []model.Note{
	{Event: "serves", Role: model.RoleServing}, {Event: "lost", Role: model.RoleAlone},
	{Event: "opened", Subject: "session", Place: model.PlaceLane, Phase: model.PhaseBegins},
	{Event: "ended", Subject: "session", Place: model.PlaceLane, Phase: model.PhaseEnds, Bad: true, State: "has ended"},
	{Event: "waits", Subject: "session", Place: model.PlaceRecord, Phase: model.PhaseBegins, Record: lockName},
	{Event: "told", Subject: lockName, Place: model.PlaceStrip, Record: lockName, Refs: []string{lockName}},
}

// wellFormed checks what every verdict promises.
func wellFormed(t *testing.T, h *model.History, v model.Verdict) {
	t.Helper()
	if (v.Sentence == "") != (v.Status == model.Holds) {
		t.Errorf("%s with the sentence %q", v.Status, v.Sentence)
	}
	if v.Status != model.Violated {
		return
	}
	if len(v.Operations) == 0 || !v.From.Happened() || v.To.At < v.From.At || v.To.Seq < v.From.Seq {
		t.Errorf("operations %v, window %v to %v", v.Operations, v.From, v.To)
	}
	if !slices.IsSorted(v.Operations) || !slices.IsSorted(v.Observations) {
		t.Errorf("not ascending: %v, %v", v.Operations, v.Observations)
	}
	for _, id := range v.Operations {
		if h.Operation(id) == nil {
			t.Errorf("no operation %d", id)
		}
	}
	for _, seq := range v.Observations {
		if !slices.ContainsFunc(h.Observations, func(o model.Observation) bool { return o.Seq == seq }) {
			t.Errorf("no observation at event %d", seq)
		}
	}
}
