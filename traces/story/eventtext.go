package story

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/traces"
)

// EventText describes an event in one line.
func (s *Log) EventText(e *sim.Event) string {
	what, how := s.EventWords(e)
	return wording.Fit(wording.Printable(what+how), 240)
}

// EventWords returns what an event was, and how it came about.
func (s *Log) EventWords(e *sim.Event) (what, how string) {
	var parts []string
	switch e.Kind {
	case sim.EventDeliver:
		parts = append(parts, fmt.Sprintf("receives from %s: %s", e.Peer, s.PayloadOrDetail(e)))
	case sim.EventDrop:
		parts = append(parts, fmt.Sprintf("never receives from %s: %s", e.Peer, s.PayloadOrDetail(e)))
	case sim.EventDial:
		parts = append(parts, "is connected to by "+e.Peer)
	case sim.EventRefused:
		parts = append(parts, "is refused a connection by "+e.Peer)
	case sim.EventClose:
		parts = append(parts, "sees the connection closed by "+e.Peer)
	case sim.EventReset:
		parts = append(parts, "sees the connection reset by "+e.Peer)
	default:
		parts = append(parts, string(e.Kind))
		if e.Peer != "" {
			parts = append(parts, "with "+e.Peer)
		}
	}
	text := strings.Join(parts, " ")
	if e.Detail != "" && !strings.HasSuffix(text, ": "+e.Detail) {
		text += ": " + e.Detail
	}
	if e.Conn != 0 {
		how = fmt.Sprintf(" (connection %d)", e.Conn)
	}
	if e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop {
		how += ", sent " + traces.Briefly(e.At-e.Sent) + " before"
		if e.Late {
			how += ": held back"
		}
	}
	return text, how + by(s.CodeOf(e.Seq))
}

// messageOf returns the message of a segment, in the words of the server that received or sent it.
func (s *Log) messageOf(e *sim.Event) payload.Message {
	for _, end := range []string{e.Actor, e.Peer} {
		switch KindOf(s.Trace, end) {
		case traces.NodeActor:
			return s.segments.Of(s.Trace.StoreOf(e), e)
		case traces.ResourceActor:
			return s.segments.Of(string(traces.ResourceActor), e)
		}
	}
	return payload.Message{Text: payload.Plain(e.Payload)}
}

// PayloadOrDetail returns the message of a segment, or else the detail of the event.
func (s *Log) PayloadOrDetail(e *sim.Event) string {
	if text := s.messageOf(e).Text; text != "" {
		return text
	}
	switch {
	case e.Detail != "":
		return e.Detail
	case e.Kind == sim.EventDial:
		return "a request to connect"
	}
	return "nothing"
}
