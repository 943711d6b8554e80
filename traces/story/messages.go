package story

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

// mostMessage is the maximum length of a message quoted in a step.
const mostMessage = 100

// MessageText describes the message of a segment; for an answer also the request.
func (s *Log) MessageText(e *sim.Event) string {
	request := s.Requests.Answered(e)
	switch name := s.MessageName(e); {
	case request == nil:
		return wording.Fit(name, mostMessage)
	case name == s.answerTo(request):
		return name
	default:
		return wording.Fit(name, 40) + ", " + s.answerTo(request) + ","
	}
}

// MessageName returns the message of a segment. For an answer that is a long list it names the request, which says more.
func (s *Log) MessageName(e *sim.Event) string {
	const most = 24
	text := s.PayloadOrDetail(e)
	request := s.Requests.Answered(e)
	if request != nil && s.messageOf(e).List && utf8.RuneCountInString(text) > most {
		return s.answerTo(request)
	}
	return text
}

func (s *Log) answerTo(request *sim.Event) string {
	return "the answer to " + wording.Fit(s.PayloadOrDetail(request), mostMessage)
}

// sentSeq returns approximately the event at which a segment was sent: the observation that it was held back, or else the
// first event from its departure on.
func (s *Log) sentSeq(e *sim.Event) int64 {
	if e.Late {
		for _, o := range s.Trace.History.Observations {
			if o.Kind == model.Delayed && o.Node == e.Peer && o.At == e.Sent {
				return o.Seq
			}
		}
	}
	return min(e.Seq, SeqAfter(s.Trace, e.Sent))
}

// IsLate reports whether the log has the segment whose delay was observed.
func (s *Log) IsLate(o *model.Observation) bool {
	return slices.ContainsFunc(s.Trace.Events, func(e sim.Event) bool {
		return e.Late && e.Peer == o.Node && e.Sent == o.At
	})
}

// LateDial returns the arrival of the connection attempt whose delay was observed, or nil if something else was delayed.
func (s *Log) LateDial(o *model.Observation) *sim.Event {
	const slack = 50 * time.Millisecond // the ordinary latency
	for i := s.IndexOf(o.Seq); i < len(s.Trace.Events); i++ {
		e := &s.Trace.Events[i]
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

// delayText describes a delayed thing that is not a segment of the log: a connection being opened, or something that the
// run did not wait for.
func (s *Log) delayText(o *model.Observation) string {
	took := traces.Briefly(o.For)
	if e := s.LateDial(o); e != nil {
		return fmt.Sprintf("opens a connection to %s; the network holds that back for %s", wording.Printable(e.Actor), took)
	}
	return "sends something that the network holds back for " + took
}

// replyLost reports whether a lost segment is an answer that a fault selected.
func (s *Log) replyLost(e *sim.Event) bool {
	return slices.ContainsFunc(s.Trace.History.Observations, func(o model.Observation) bool {
		return o.Kind == model.ReplyLost && o.Node == e.Actor && o.At == e.At
	})
}
