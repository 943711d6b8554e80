package story

import (
	"cmp"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/traces"
)

// Log is the trace of a run, and finds and words its events.
type Log struct {
	Trace    *traces.Trace
	Terms    model.Terms
	segments *payload.Segments
	// Requests finds the request that an answer answers.
	Requests Requests
	// repeats describes, by the event at which a repeated request arrives, how the client sends it.
	repeats map[int64]string
	// returning is, by the event of its return, each operation.
	returning map[int64]*model.Operation
	// exchanges are computed when they are first used.
	exchanges *Exchanges
}

func newLog(t *traces.Trace) *Log {
	l := &Log{
		Trace: t, Terms: termsOf(t), segments: payload.NewSegments(t.Events), Requests: newRequests(t),
		repeats: map[int64]string{}, returning: map[int64]*model.Operation{},
	}
	for i := range t.History.Operations {
		if o := &t.History.Operations[i]; o.Return.Happened() {
			l.returning[o.Return.Seq] = o
		}
	}
	l.findRepeats(l.repeats)
	return l
}

// RunEnd returns the end of a run, after its last event.
func RunEnd(t *traces.Trace) model.Stamp {
	return model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()}
}

// IsProgram reports whether the trace is of a program, whose processes do more than use a lock.
func (s *Log) IsProgram() bool { return IsProgram(s.Trace) }

// shownFrom returns the first event of the shown part of an experiment's run; 0 for other runs.
func (s *Log) shownFrom() int64 {
	if s.Trace.Experiment == nil {
		return 0
	}
	for i := range s.Trace.Events {
		if e := &s.Trace.Events[i]; e.At >= s.Trace.Experiment.From {
			return e.Seq
		}
	}
	return s.Trace.LastSeq()
}

// TermsAt returns the terms of a node's store.
func (s *Log) TermsAt(node string) model.Terms {
	if a := actorOf(s.Trace, node); a != nil && a.Terms != nil {
		return printable(*a.Terms)
	}
	return s.Terms
}

// ThreadsOf returns the number of a client's threads.
func (s *Log) ThreadsOf(client string) int {
	n := 1
	for i := range s.Trace.History.Operations {
		if o := &s.Trace.History.Operations[i]; o.Client == client {
			n = max(n, o.Thread+1)
		}
	}
	return n
}

// IndexOf returns the index of the first event with at least the given number.
func (s *Log) IndexOf(seq int64) int {
	return sort.Search(len(s.Trace.Events), func(i int) bool { return s.Trace.Events[i].Seq >= seq })
}

// IsProgram reports whether a trace is of a program.
func IsProgram(t *traces.Trace) bool { return len(t.History.Statements) > 0 }

// KindOf returns the kind of an actor, empty if the trace has none of that name.
func KindOf(t *traces.Trace, name string) traces.ActorKind {
	for _, a := range t.Actors {
		if a.Name == name {
			return a.Kind
		}
	}
	return ""
}

// termsOf returns the store's terms in the trace, made printable: their source is not trusted.
func termsOf(t *traces.Trace) model.Terms { return printable(t.Terms) }

// printable makes terms from an untrusted source printable, with a noun for each.
func printable(terms model.Terms) model.Terms {
	terms = terms.Usual()
	terms.Session = cmp.Or(terms.Session, "session")
	for _, term := range []*string{&terms.Store, &terms.Node, &terms.Serving, &terms.Follower, &terms.Record, &terms.Session} {
		*term = wording.Printable(*term)
	}
	return terms
}

// storeAt returns the ID of a node's store, empty if the run has one store.
func storeAt(t *traces.Trace, node string) string {
	if a := actorOf(t, node); a != nil {
		return a.Store
	}
	return ""
}

// actorOf returns the actor with the name, or nil.
func actorOf(t *traces.Trace, name string) *traces.Actor {
	for i := range t.Actors {
		if t.Actors[i].Name == name {
			return &t.Actors[i]
		}
	}
	return nil
}

// Before reports whether one stamp is earlier than another.
func Before(a, b model.Stamp) bool { return CompareStamps(a, b) < 0 }

// CompareStamps orders stamps by their times: the end of a lease is no event, and has the number of the event after it.
func CompareStamps(a, b model.Stamp) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq))
}

// SeqAfter returns the number of the first event at or after a time; one more than the last if there is none. If the trace
// leaves out events there, it is the first that the history names.
func SeqAfter(t *traces.Trace, at time.Duration) int64 {
	i := sort.Search(len(t.Events), func(i int) bool { return t.Events[i].At >= at })
	first := t.LastSeq() + 1
	if i < len(t.Events) {
		first = t.Events[i].Seq
	}
	if len(t.Gaps) == 0 {
		return first
	}
	for i := range t.History.Operations {
		o := &t.History.Operations[i]
		for _, s := range []model.Stamp{o.Call, o.Return} {
			if s.Happened() && s.At >= at {
				first = min(first, s.Seq)
			}
		}
	}
	for i := range t.History.Observations {
		if o := &t.History.Observations[i]; o.At >= at {
			first = min(first, o.Seq)
		}
	}
	return first
}

// AcquisitionOf returns the acquisition that an operation belongs to, 0 if none.
func AcquisitionOf(t *traces.Trace, op int) int {
	if o := t.History.Operation(op); o != nil {
		return o.Acquisition
	}
	return 0
}

// emptied reports whether nobody has a record since a change: it has lost its value, and its end was for clients to
// measure.
func emptied(t *traces.Trace, o *model.Observation) bool {
	terms := t.Terms
	if a := actorOf(t, o.Node); a != nil && a.Terms != nil {
		terms = *a.Terms
	}
	return terms.Measured && o.Kind == model.RecordChanged && o.Value == "" && o.Type == ""
}
