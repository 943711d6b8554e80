package confirm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// lines is an ensemble whose messages are lines: a number, a word, and, of an answer, a version.
type lines struct{ Ensemble }

func (lines) Converse() Conversation { return lines{} }
func (lines) Authority() string      { return "all" }
func (lines) Free(word string) bool  { return word == "ping" }
func (lines) Blocks(string) bool     { return false }
func (lines) Refused([]byte) bool    { return false }

func (lines) Client(sent []byte) ([]Message, error) {
	m := Message{Bytes: sent}
	_, err := fmt.Sscan(string(sent), &m.Number, &m.Signature)
	return []Message{m}, err
}

func (lines) Server(sent []byte) ([]Message, error) {
	m := Message{Bytes: sent}
	_, err := fmt.Sscan(string(sent), &m.Number, &m.Version)
	return []Message{m}, err
}

// told are the requests of a trace of two clients and two members, in the order in which they execute; in brackets are
// those that the trace holds for longer than the run lasts. The only change is made by c2, and has version 5.
func told(t *testing.T, until int64, events ...sim.Event) (order []string) {
	t.Helper()
	tr := &traces.Trace{Events: events}
	for i := range tr.Events {
		e := &tr.Events[i]
		if e.Seq = int64(i + 1); e.Kind == "" {
			e.Kind = sim.EventDeliver
		}
		if e.Detail == "change" {
			tr.History.Observations = append(tr.History.Observations, model.Observation{
				Stamp: model.Stamp{Seq: e.Seq, At: e.At}, Kind: model.RecordCreated, Node: e.Actor, Authority: "all", Key: "k", By: model.Origin{Client: "c2", Conn: 2},
			})
		}
	}
	r := &reading{plan: &plan{clients: []string{"c1", "c2"}, nodes: []string{"n1", "n2"}, ensemble: lines{}}, trace: tr, store: lines{}, until: until}
	r.converse()
	if err := r.observations(); err != nil {
		t.Fatal(err)
	}
	r.requests()
	r.order()
	for i := range r.steps {
		if s := &r.steps[i]; s.kind == executes {
			word := s.client + " " + s.request
			if s.late {
				word += " late"
			}
			order = append(order, word)
		}
	}
	for i := range r.beyond {
		order = append(order, "("+r.beyond[i].client+" "+r.beyond[i].request+")")
	}
	return order
}

// message is one of a client's connection that arrives, or is lost, at a time in milliseconds.
func message(actor, peer string, conn int, sent, at int, text string) sim.Event {
	return sim.Event{Actor: actor, Peer: peer, Conn: conn, Sent: time.Duration(sent) * time.Millisecond, At: time.Duration(at) * time.Millisecond, Payload: []byte(text)}
}

// write is c2's change, which n1 makes at 10 ms.
func write() []sim.Event {
	change := message("n1", "c2", 0, 0, 10, "")
	change.Detail, change.Kind = "change", sim.EventNote
	return []sim.Event{message("n1", "c2", 2, 8, 9, "1 write"), change}
}

// TestServed: a request executes when its server answers it, but before a change that the answer does not know.
func TestServed(t *testing.T) {
	after := message("c2", "n1", 2, 10, 11, "1 5")
	for name, c := range map[string]struct { // unordered: each by itself
		events []sim.Event
		want   []string
	}{
		"it knows the change":              {slices.Concat([]sim.Event{message("n2", "c1", 1, 7, 8, "1 read")}, write(), []sim.Event{message("n2", "n1", 0, 10, 11, "apply"), after, message("c1", "n2", 1, 11, 12, "1 5")}), []string{"c2 write", "c1 read"}},
		"it does not know it":              {slices.Concat([]sim.Event{message("n2", "c1", 1, 7, 8, "1 read")}, write(), []sim.Event{message("n2", "n1", 0, 10, 11, "apply"), after, message("c1", "n2", 1, 11, 12, "1 4")}), []string{"c1 read", "c2 write"}},
		"nor does one that comes later":    {slices.Concat(write(), []sim.Event{message("n2", "c1", 1, 9, 10, "1 read"), after, message("c1", "n2", 1, 11, 12, "1 4")}), []string{"c1 read", "c2 write"}},
		"nor one that was sent afterwards": {slices.Concat(write(), []sim.Event{after, message("n2", "c1", 1, 20, 21, "1 read"), message("c1", "n2", 1, 21, 22, "1 4")}), []string{"c2 write", "c1 read"}},
		"it says nothing":                  {slices.Concat([]sim.Event{message("n2", "c1", 1, 7, 8, "1 read")}, write(), []sim.Event{message("n2", "n1", 0, 10, 11, "apply"), after, message("c1", "n2", 1, 11, 12, "1 0")}), []string{"c2 write", "c1 read"}},
	} {
		if got := told(t, 100, c.events...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestHeldUp: what comes behind a late request of its connection is late, too, also if it may pass at any time; what is late beyond
// the violation is held until then.
func TestHeldUp(t *testing.T) {
	late := message("n1", "c1", 1, 0, 900, "1 read")
	late.Late = true
	lost := message("c1", "n1", 1, 900, 901, "1 4")
	lost.Kind = sim.EventDrop
	lostPing := lost
	lostPing.Payload = []byte("2 4")
	events := []sim.Event{
		message("n1", "c2", 2, 1, 2, "1 ping"), message("c2", "n1", 2, 2, 3, "1 4"), // passes
		late, message("n1", "c1", 1, 899, 900, "2 ping"), lost, lostPing,
	}
	for until, want := range map[int64][]string{ // unordered: each by itself
		100: {"c1 read late", "c1 ping late"},
		2:   {"(c1 ping)"},
	} {
		if got := told(t, until, events...); !slices.Equal(got, want) {
			t.Errorf("until event %d: %q, want %q", until, got, want)
		}
	}
}
