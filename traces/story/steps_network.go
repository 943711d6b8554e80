package story

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// networkSteps finds the steps of the network.
type networkSteps struct{ plot *Plot }

// networkSteps returns the steps of segments that were late or lost, and of clients that stopped waiting for them.
// Existing steps count: the effect of a late request shows its arrival.
func (s networkSteps) networkSteps(told []candidate) []candidate {
	var steps []candidate
	for i := range s.plot.Trace.Events {
		e := &s.plot.Trace.Events[i]
		began := s.plot.sentSeq(e)
		if e.Seq < s.plot.from || !s.plot.busy(e.Peer, began, e.Seq) && !s.plot.busy(e.Actor, began, e.Seq) {
			continue
		}
		at := model.Stamp{Seq: e.Seq, At: e.At}
		switch {
		case isSegment(e) && e.Late:
			steps = append(steps, s.lateSteps(e, told)...)
		case e.Seq > s.plot.to:
		case e.Kind == sim.EventDrop && s.plot.aboutLock(e):
			text, weight := "which never arrives", helpful-1
			if s.plot.replyLost(e) {
				text, weight = "whose connection breaks before it arrives", major
			}
			text = fmt.Sprintf("sends %s to %s, %s", s.plot.MessageText(e), wording.Printable(e.Actor), text)
			steps = append(steps, step(at, e.Peer, text, weight))
		case e.Kind == sim.EventTimeout && e.Peer != "":
			text := fmt.Sprintf("stops waiting for %s: time-out", wording.Printable(e.Peer))
			steps = append(steps, step(at, e.Actor, text, helpful))
		}
	}
	for i := range s.plot.Trace.History.Observations {
		if o := &s.plot.Trace.History.Observations[i]; o.Kind == model.Delayed && s.plot.busy(o.Node, o.Seq, o.Seq) && !s.plot.IsLate(o) {
			steps = append(steps, step(o.Stamp, o.Node, s.plot.delayText(o), major))
		}
	}
	return steps
}

// lateSteps returns the departure of a late segment and its arrival.
func (s networkSteps) lateSteps(e *sim.Event, told []candidate) []candidate {
	what := s.plot.MessageText(e)
	sent := model.Stamp{Seq: s.plot.sentSeq(e), At: e.Sent}
	text := fmt.Sprintf("sends %s to %s; the network holds it back for %s", what, wording.Printable(e.Actor), traces.Briefly(e.At-e.Sent))
	if verb := s.plot.repeats[e.Seq]; verb != "" {
		text = fmt.Sprintf("%s %s; the network holds it back for %s", verb, what, traces.Briefly(e.At-e.Sent))
	}
	steps := []candidate{step(sent, e.Peer, text, major)}
	if e.Seq > s.plot.to || e.Kind == sim.EventDrop {
		return steps
	}
	for _, c := range told {
		if c.Actor == e.Actor && c.Seq > e.Seq && c.At-e.At <= 5*time.Millisecond {
			return steps
		}
	}
	text = fmt.Sprintf("receives %s from %s, late", what, wording.Printable(e.Peer))
	return append(steps, step(model.Stamp{Seq: e.Seq, At: e.At}, e.Actor, text, helpful))
}

// partingSteps returns the steps of partitions during the story, and of the beginnings of those that began before.
func (s networkSteps) partingSteps() []candidate {
	var all []candidate
	for _, p := range Partitions(s.plot.Trace) {
		if p.To.Seq < s.plot.from || p.From.Seq > s.plot.to {
			continue
		}
		all = append(all, step(p.From, p.Node, p.Text(), major))
		if p.To.Seq <= s.plot.to {
			all = append(all, step(p.To, p.Node, "and those on the other side hear each other again", major-1))
		}
		for i := range s.plot.Trace.History.Observations {
			o := &s.plot.Trace.History.Observations[i]
			if o.Kind == model.Promoted && p.From.Seq < o.Seq && o.Seq < min(p.To.Seq, s.plot.from) {
				all = append(all, worldSteps(s).worldSteps(o)...)
			}
		}
	}
	return all
}

// repeatSteps returns the steps of requests that a client sends again, word for word, because it got no answer: client
// libraries do that by themselves.
func (s networkSteps) repeatSteps() []candidate {
	var steps []candidate
	for i := range s.plot.Trace.Events {
		e := &s.plot.Trace.Events[i]
		verb := s.plot.repeats[e.Seq]
		if verb == "" || e.Late {
			continue // lateSteps has the late ones
		}
		if sent := s.plot.sentSeq(e); s.plot.from <= sent && sent <= s.plot.to && s.plot.busy(e.Peer, sent, e.Seq) {
			at := model.Stamp{Seq: sent, At: s.plot.Trace.Event(sent).At}
			steps = append(steps, step(at, e.Peer, verb+" "+s.plot.MessageText(e), helpful))
		}
	}
	return steps
}
