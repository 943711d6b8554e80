package render

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// networkSteps are those of segments that were late or lost, and of clients that
// stopped waiting for them. Steps that there are already count: what a
// late request did says that it arrived.
func (s *story) networkSteps(told []candidate) []candidate {
	var steps []candidate
	for i := range s.t.Events {
		e := &s.t.Events[i]
		began := s.sentSeq(e)
		if e.Seq < s.from || !s.busy(e.Peer, began, e.Seq) && !s.busy(e.Actor, began, e.Seq) {
			continue
		}
		at := model.Stamp{Seq: e.Seq, At: e.At}
		switch {
		case isSegment(e) && e.Late:
			steps = append(steps, s.lateSteps(e, told)...)
		case e.Seq > s.to:
		case e.Kind == sim.EventDrop && s.aboutLock(e):
			text, weight := "which never arrives", helpful-1
			if s.replyLost(e) {
				text, weight = "whose connection breaks before it arrives", major
			}
			text = fmt.Sprintf("sends %s to %s, %s", s.messageText(e), wording.Printable(e.Actor), text)
			steps = append(steps, step(at, e.Peer, text, weight))
		case e.Kind == sim.EventTimeout && e.Peer != "":
			text := fmt.Sprintf("stops waiting for %s: time-out", wording.Printable(e.Peer))
			steps = append(steps, step(at, e.Actor, text, helpful))
		}
	}
	for i := range s.t.History.Observations {
		if o := &s.t.History.Observations[i]; o.Kind == model.Delayed && s.busy(o.Node, o.Seq, o.Seq) && !s.isLate(o) {
			steps = append(steps, step(o.Stamp, o.Node, s.delayText(o), major))
		}
	}
	return steps
}

// busy reports whether a client was about one of the acquisitions that the
// story is about between two events.
func (s *story) busy(client string, from, to int64) bool {
	if s.isProgram() {
		return slices.Contains(s.clients, client)
	}
	for _, id := range s.acquisitions {
		a := s.t.History.Operation(id)
		if a.Client == client && a.Call.Seq <= to && from <= s.lastOf[id] {
			return true
		}
	}
	return false
}

// replyLost reports whether a segment that was lost is an answer that a fault
// had picked out.
func (s *story) replyLost(e *sim.Event) bool {
	return slices.ContainsFunc(s.t.History.Observations, func(o model.Observation) bool {
		return o.Kind == model.ReplyLost && o.Node == e.Actor && o.At == e.At
	})
}

// isLate reports whether the log has the segment whose delay was observed.
func (s *story) isLate(o *model.Observation) bool {
	return slices.ContainsFunc(s.t.Events, func(e sim.Event) bool {
		return e.Late && e.Peer == o.Node && e.Sent == o.At
	})
}

// delayText describes something held back that is no segment of the log: a
// connection being opened, or what the run did not wait for.
func (s *story) delayText(o *model.Observation) string {
	took := traces.Briefly(o.For)
	if e := s.lateDial(o); e != nil {
		return fmt.Sprintf("opens a connection to %s; the network holds that back for %s", wording.Printable(e.Actor), took)
	}
	return "sends something that the network holds back for " + took
}

// lateDial is the arrival of the connection attempt whose delay was observed,
// or nil if the delay was of something else.
func (s *story) lateDial(o *model.Observation) *sim.Event {
	const slack = 50 * time.Millisecond // of the ordinary latency
	for i := s.indexOf(o.Seq); i < len(s.t.Events); i++ {
		e := &s.t.Events[i]
		after := e.At - o.At - o.For
		if after >= slack {
			return nil
		}
		if e.Peer == o.Node && e.Kind == sim.EventDial && after >= 0 {
			return e
		}
	}
	return nil
}

// lateSteps are the departure of a late segment and its arrival.
func (s *story) lateSteps(e *sim.Event, told []candidate) []candidate {
	what := s.messageText(e)
	sent := model.Stamp{Seq: s.sentSeq(e), At: e.Sent}
	text := fmt.Sprintf("sends %s to %s; the network holds it back for %s", what, wording.Printable(e.Actor), traces.Briefly(e.At-e.Sent))
	if verb := s.repeats[e.Seq]; verb != "" {
		text = fmt.Sprintf("%s %s; the network holds it back for %s", verb, what, traces.Briefly(e.At-e.Sent))
	}
	steps := []candidate{step(sent, e.Peer, text, major)}
	if e.Seq > s.to || e.Kind == sim.EventDrop {
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

// mostMessage is how much a step quotes of a message.
const mostMessage = 100

// messageText is what a segment says; of an answer, also to what.
func (s *story) messageText(e *sim.Event) string {
	request := s.requests.answered(e)
	switch name := s.messageName(e); {
	case request == nil:
		return wording.Fit(name, mostMessage)
	case name == s.answerTo(request):
		return name
	default:
		return wording.Fit(name, 40) + ", " + s.answerTo(request) + ","
	}
}

// messageName is what a segment carries; of an answer that is a long list,
// which says less than its question, to what it is one.
func (s *story) messageName(e *sim.Event) string {
	const most = 24
	text := s.payloadOrDetail(e)
	request := s.requests.answered(e)
	if request != nil && s.messageOf(e).List && utf8.RuneCountInString(text) > most {
		return s.answerTo(request)
	}
	return text
}

func (s *story) answerTo(request *sim.Event) string {
	return "the answer to " + wording.Fit(s.payloadOrDetail(request), mostMessage)
}

// sentSeq is the event at which a segment was sent, or nearly: the
// observation that it was held back, or else the first event from then on.
func (s *story) sentSeq(e *sim.Event) int64 {
	if e.Late {
		for _, o := range s.t.History.Observations {
			if o.Kind == model.Delayed && o.Node == e.Peer && o.At == e.Sent {
				return o.Seq
			}
		}
	}
	return min(e.Seq, seqAfter(s.t, e.Sent))
}

// partingSteps are those of partitions that there were in the story's time, and of
// how they began if that was before.
func (s *story) partingSteps() []candidate {
	var all []candidate
	for _, p := range partings(s.t) {
		if p.to.Seq < s.from || p.from.Seq > s.to {
			continue
		}
		all = append(all, step(p.from, p.Node, p.text(), major))
		if p.to.Seq <= s.to {
			all = append(all, step(p.to, p.Node, "and those on the other side hear each other again", major-1))
		}
		for i := range s.t.History.Observations {
			o := &s.t.History.Observations[i]
			if o.Kind == model.Promoted && p.from.Seq < o.Seq && o.Seq < min(p.to.Seq, s.from) {
				all = append(all, s.worldSteps(o)...)
			}
		}
	}
	return all
}

// repeatSteps are those of requests that a client sends again, word for word,
// because it got no answer: client libraries do that unasked.
func (s *story) repeatSteps() []candidate {
	var steps []candidate
	for i := range s.t.Events {
		e := &s.t.Events[i]
		verb := s.repeats[e.Seq]
		if verb == "" || e.Late {
			continue // lateSteps has the late ones
		}
		if sent := s.sentSeq(e); s.from <= sent && sent <= s.to && s.busy(e.Peer, sent, e.Seq) {
			at := model.Stamp{Seq: sent, At: s.t.Event(sent).At}
			steps = append(steps, step(at, e.Peer, verb+" "+s.messageText(e), helpful))
		}
	}
	return steps
}
