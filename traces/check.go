package traces

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// plausible reports whether a time is at most a century, so that calculations with it
// cannot overflow.
func plausible(d time.Duration) bool {
	const century = 100 * 365 * 24 * time.Hour
	return -century < d && d < century
}

// check reports the first contradiction in a trace. A trace that passes can be drawn and
// judged safely.
func (t *Trace) check() error {
	for _, part := range []func() error{
		t.checkHead, t.checkNames, t.checkActors, t.checkTape, t.checkEvents, t.checkGaps, t.checkRemarks,
		t.checkShrunk, t.checkAttribution, t.checkReal, t.checkAttached, t.checkOperations, t.checkObservations, t.checkProgram, t.checkVerdicts, t.checkProperties,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trace) checkHead() error {
	switch {
	case t.Scenario == "":
		return fmt.Errorf("scenario: is missing")
	case t.Lock == "":
		return fmt.Errorf("lock: is missing")
	case t.Store == "":
		return fmt.Errorf("store: is missing")
	case t.Test != nil && (t.Test.Name == "" || t.Test.Call < 1):
		return fmt.Errorf("test: the name or the number of the call is missing")
	case t.Experiment != nil && (!plausible(t.Experiment.From) || !plausible(t.Experiment.Until) || t.Experiment.From < 0 || t.Experiment.Until < 0):
		return fmt.Errorf("experiment: from %dns until %dns is no part of a run", t.Experiment.From, t.Experiment.Until)
	case t.Schedule < 0 && t.Real == nil:
		return fmt.Errorf("schedule: %d is negative", t.Schedule)
	case !isHash(t.Hash):
		return fmt.Errorf("hash: %s is not lower-case hex", quote(t.Hash))
	case t.Trouble != nil && (t.Trouble.Kind == "" || t.Trouble.Reason == ""):
		return fmt.Errorf("trouble: the kind or the reason is missing")
	case t.History.TTL < 0 || !plausible(t.History.TTL):
		return fmt.Errorf("history.ttlNanos: %d is not the length of a lease", t.History.TTL)
	case t.History.End.Seq < 0 || t.History.End.At < 0 || !plausible(t.History.End.At):
		return fmt.Errorf("history.end: event %d at %dns is no end", t.History.End.Seq, t.History.End.At)
	}
	if err := t.checkTerms(); err != nil {
		return err
	}
	return checkParameters("parameters", t.Parameters)
}

func isHash(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// maxTerm is the maximum number of bytes of a term or a version.
const maxTerm = 60

// checkTerms checks the store's terms and the versions.
func (t *Trace) checkTerms() error {
	if err := checkTerms("terms", &t.Terms); err != nil {
		return err
	}
	for name, version := range t.Made { // unordered: reports any that is wrong
		if len(name) > maxTerm || len(version) > maxTerm || name != wording.Printable(name) || version != wording.Printable(version) {
			return fmt.Errorf("made: %s: %s is too long or cannot be printed", quote(name), quote(version))
		}
	}
	return nil
}

// checkTerms checks the terms of a store.
func checkTerms(where string, terms *model.Terms) error {
	for name, term := range map[string]string{ // unordered: reports any that is wrong
		"store": terms.Store, "node": terms.Node, "serving": terms.Serving, "follower": terms.Follower, "record": terms.Record,
	} {
		if term == "" || len(term) > maxTerm || term != wording.Printable(term) {
			return fmt.Errorf("%s.%s: %s is empty, too long or cannot be printed", where, name, quote(term))
		}
	}
	if term := terms.Session; len(term) > maxTerm || term != wording.Printable(term) {
		return fmt.Errorf("%s.session: %s is too long or cannot be printed", where, quote(term))
	}
	return nil
}

func checkParameters(where string, list []Parameter) error {
	names := map[string]bool{}
	for i, p := range list {
		if p.Name == "" || names[p.Name] {
			return fmt.Errorf("%s[%d]: the name %s is empty or given twice", where, i, quote(p.Name))
		}
		if !sim.IsName(p.Name, sim.MaxName) {
			return noName(fmt.Sprintf("%s[%d].name", where, i), p.Name, sim.MaxName)
		}
		names[p.Name] = true
	}
	return nil
}

// maxActors is the maximum number of lanes of a trace.
const maxActors = 256

func (t *Trace) checkActors() error {
	if len(t.Actors) > maxActors {
		return fmt.Errorf("actors: there are %d; a trace has at most %d", len(t.Actors), maxActors)
	}
	names := map[string]bool{}
	for i, a := range t.Actors {
		if a.Name == "" || names[a.Name] {
			return fmt.Errorf("actors[%d]: the name %s is empty or given twice", i, quote(a.Name))
		}
		names[a.Name] = true
		if a.Terms != nil {
			if err := checkTerms(fmt.Sprintf("actors[%d].terms", i), a.Terms); err != nil {
				return err
			}
		}
		if len(a.Store) > maxTerm || a.Store != wording.Printable(a.Store) {
			return fmt.Errorf("actors[%d]: the store %s is too long or cannot be printed", i, quote(a.Store))
		}
		switch a.Kind {
		case ClientActor, NodeActor, ElectorActor, ResourceActor:
		default:
			return fmt.Errorf("actors[%d]: there is no kind %s", i, quote(string(a.Kind)))
		}
	}
	return nil
}

func (t *Trace) checkTape() error {
	seen := make(map[string]bool, len(t.Tape))
	for i, c := range t.Tape {
		id := c.ID()
		switch {
		case c.Kind == "" || c.Actor == "":
			return fmt.Errorf("tape[%d]: the kind or the actor is missing", i)
		case c.Occurrence < 0:
			return fmt.Errorf("tape[%d]: occurrence %d is negative", i, c.Occurrence)
		case c.Options < 2:
			return fmt.Errorf("tape[%d]: %s has %d options; a decision has at least 2", i, quote(id), c.Options)
		case c.Option < 0 || c.Option >= c.Options:
			return fmt.Errorf("tape[%d]: %s takes option %d of %d, from 0", i, quote(id), c.Option, c.Options)
		case seen[id]:
			return fmt.Errorf("tape[%d]: %s is decided twice", i, quote(id))
		case c.Shows != 0 && c.Shows <= c.After:
			return fmt.Errorf("tape[%d]: %s shows in event %d, but was decided after event %d", i, quote(id), c.Shows, c.After)
		}
		seen[id] = true
	}
	return nil
}

func (t *Trace) checkEvents() error {
	var last model.Stamp
	for i, e := range t.Events {
		switch {
		case e.Seq <= last.Seq:
			return fmt.Errorf("events[%d]: seq %d does not follow %d", i, e.Seq, last.Seq)
		case e.At < last.At:
			return fmt.Errorf("events[%d]: at %dns, but the event before was at %dns", i, e.At, last.At)
		case e.At < 0 || !plausible(e.At):
			return fmt.Errorf("events[%d]: %dns is not a time of a run", i, e.At)
		case e.Kind == "" || e.Actor == "":
			return fmt.Errorf("events[%d]: the kind or the actor is missing", i)
		case e.Conn < 0:
			return fmt.Errorf("events[%d]: connection %d is negative", i, e.Conn)
		case e.Sent < 0 || e.Sent > e.At && e.Kind != sim.EventDrop: // a lost answer may still have been in the making
			return fmt.Errorf("events[%d]: sent at %dns, which is not before it arrived at %dns", i, e.Sent, e.At)
		}
		last = model.Stamp{Seq: e.Seq, At: e.At}
	}
	end := t.History.End
	if end.Happened() && end.Seq < last.Seq || end.At < last.At {
		return fmt.Errorf("history.end: is event %d at %dns, but event %d at %dns is later", end.Seq, end.At, last.Seq, last.At)
	}
	return nil
}

// checkStamp checks that a stamp is in this run: the run has its number, and its time is that of the event, if the trace
// has it.
func (t *Trace) checkStamp(where string, s model.Stamp) error {
	if s.Seq < 1 || s.Seq > t.LastSeq() {
		return fmt.Errorf("%s: there is no event %d; the last is %d", where, s.Seq, t.LastSeq())
	}
	if e := t.Event(s.Seq); e != nil && e.At != s.At {
		return fmt.Errorf("%s: says event %d was at %dns, but it was at %dns", where, s.Seq, s.At, e.At)
	}
	if s.At < 0 || s.At > t.EndAt() {
		return fmt.Errorf("%s: %dns is outside of the run, which ends at %dns", where, s.At, t.EndAt())
	}
	return nil
}

func (t *Trace) checkVerdicts() error {
	observed := make(map[int64]bool, len(t.History.Observations))
	for _, o := range t.History.Observations {
		observed[o.Seq] = true
	}
	judged := map[string]bool{}
	for i := range t.Verdicts {
		v := &t.Verdicts[i]
		if v.Property == "" || judged[v.Property] {
			return fmt.Errorf("verdicts[%d]: the property %s is empty or judged twice", i, quote(v.Property))
		}
		if !sim.IsName(v.Property, maxID) {
			return noName(fmt.Sprintf("verdicts[%d].property", i), v.Property, maxID)
		}
		judged[v.Property] = true
		if err := t.checkVerdict(v, observed); err != nil {
			return fmt.Errorf("verdicts[%d]: %w", i, err)
		}
	}
	if v := t.Verdict(); t.Property != "" && (v == nil || v.Status != model.Violated) {
		return fmt.Errorf("property: %s is not among the violated ones", quote(t.Property))
	}
	return nil
}

func (t *Trace) checkVerdict(v *model.Verdict, observed map[int64]bool) error {
	switch v.Status {
	case model.Holds, model.Violated, model.Undecided, model.NotApplicable:
	default:
		return fmt.Errorf("there is no status %s", quote(string(v.Status)))
	}
	for i, id := range v.Operations {
		if t.History.Operation(id) == nil {
			return fmt.Errorf("operations[%d]: there is no operation %d", i, id)
		}
		if i > 0 && id <= v.Operations[i-1] {
			return fmt.Errorf("operations[%d]: %d does not follow %d", i, id, v.Operations[i-1])
		}
	}
	for i, seq := range v.Observations {
		if !observed[seq] {
			return fmt.Errorf("observations[%d]: nothing was observed at event %d", i, seq)
		}
		if i > 0 && seq <= v.Observations[i-1] {
			return fmt.Errorf("observations[%d]: %d does not follow %d", i, seq, v.Observations[i-1])
		}
	}
	return t.checkRange(v)
}

// checkRange checks the window of a verdict. Its ends may lie between events: a lease ends
// by a clock, without an event.
func (t *Trace) checkRange(v *model.Verdict) error {
	for _, end := range []struct {
		name string
		at   model.Stamp
	}{{"from", v.From}, {"to", v.To}} {
		if end.at.Seq < 0 || end.at.Seq > t.LastSeq() {
			return fmt.Errorf("%s: there is no event %d; the last is %d", end.name, end.at.Seq, t.LastSeq())
		}
		if end.at.At < 0 || !plausible(end.at.At) {
			return fmt.Errorf("%s: %dns is not a time of a run", end.name, end.at.At)
		}
	}
	if v.To.Happened() && (v.To.Seq < v.From.Seq || v.To.At < v.From.At) {
		return fmt.Errorf("to: event %d at %dns is before its beginning, event %d at %dns", v.To.Seq, v.To.At, v.From.Seq, v.From.At)
	}
	return nil
}
