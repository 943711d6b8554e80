package faults

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/traces"
)

// describeSlow describes a segment that took longer than in a calm run.
func describeSlow(t *stage.Choice) string {
	if t.Event == nil {
		return ""
	}
	by := t.Params.Jitter() * time.Duration(t.Option) / (sim.JitterSteps - 1)
	return segmentText(t, t.Event) + " is slow by " + traces.Briefly(by)
}

// describeOrder describes which of several simultaneous events went first.
func describeOrder(t *stage.Choice) string {
	if t.Event == nil {
		return ""
	}
	e := t.Event
	first := e.Actor + "'s"
	if e.Peer != "" {
		first = "what comes from " + e.Peer + " to " + e.Actor
	}
	return fmt.Sprintf("of %d events due together at %s, %s goes first", t.Options, traces.Moment(e.At), first)
}

// describeUnread describes a reset that leaves received data readable.
func describeUnread(t *stage.Choice) string {
	e := t.Event
	if e == nil || e.Kind != sim.EventReset || e.Actor != t.Actor || e.Detail != sim.UnreadKept {
		return ""
	}
	return fmt.Sprintf("%s can still read what had arrived from %s when the connection was reset at %s", e.Actor, e.Peer, traces.Moment(e.At))
}

// describeReadFirst describes which of two goroutines went on first after a pause.
func describeReadFirst(t *stage.Choice) string {
	e := t.Event
	if e == nil || e.Kind != sim.EventStep || e.Actor != t.Actor || e.Detail != sim.ReadsFirst {
		return ""
	}
	return fmt.Sprintf("at %s %s reads to the end of its connection with %s before it writes what it was about to write", traces.Moment(e.At), e.Actor, e.Peer)
}

// describeSelect describes an order of selects.
func describeSelect(t *stage.Choice) string {
	return fmt.Sprintf("at %s's event %d a select with several ready cases takes the last of them, and not the first", t.Actor, t.Occurrence+1)
}

// describeWake describes an order of goroutines.
func describeWake(t *stage.Choice) string {
	return fmt.Sprintf("goroutines that go on at %s's event %d, or begin, run in another order than the scheduler's usual one", t.Actor, t.Occurrence+1)
}

// segmentText names a segment by the event of its arrival or loss.
func segmentText(t *stage.Choice, e *sim.Event) string {
	text := fmt.Sprintf("the segment from %s to %s sent at %s", e.Peer, e.Actor, traces.Moment(e.Sent))
	segments := t.Segments
	if segments == nil {
		segments = payload.NewSegments(t.Events)
	}
	what := segments.Of(t.Store, e).Text
	switch {
	case e.Kind == sim.EventDial:
		what = "opening a connection"
	case what == "" && e.Conn == 0:
		what = e.Detail
	}
	if what == "" {
		return text
	}
	const most = 60
	if letters := []rune(what); len(letters) > most {
		what = string(letters[:most-1]) + "…"
	}
	return text + " (" + what + ")"
}
