package explore

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// FirstDifference describes the first difference between two recordings of one tape,
// and its reasons, as far as they are known or can be guessed.
func FirstDifference(a, b *Recording) string {
	if reasons := a.reasons(); reasons != "" {
		return DifferAt(a, b) + reasons
	}
	return DifferAt(a, b) + guess(a.Events, b.Events)
}

// reasons returns why the run may not repeat, to be appended to the report of a
// difference.
func (r *Recording) reasons() string {
	if len(r.Nondeterminism) == 0 {
		return ""
	}
	return "; " + strings.Join(r.Nondeterminism, "; ")
}

// DifferAt describes the first difference between two recordings of one tape.
func DifferAt(a, b *Recording) string {
	for i := range min(len(a.Events), len(b.Events)) {
		if x, y := a.Events[i], b.Events[i]; !reflect.DeepEqual(x, y) {
			one, other := show(x, y), show(y, x)
			if one == other {
				rest := func(e sim.Event) string {
					return fmt.Sprintf(", connection %d, sent at %v, late %t, decision %q", e.Conn, e.Sent, e.Late, e.Decision)
				}
				one, other = one+rest(x), other+rest(y)
			}
			return fmt.Sprintf("event %d is %s in one run and %s in the other", i+1, one, other)
		}
	}
	if len(a.Events) != len(b.Events) {
		return fmt.Sprintf("one run has %d events and the other %d", len(a.Events), len(b.Events))
	}
	if !reflect.DeepEqual(a.History, b.History) {
		return "the events are alike, but the histories differ"
	}
	return "events and histories are alike, but the verdicts differ"
}

// show returns an event in a few words, which have the first byte that another event has not.
func show(e, other sim.Event) string {
	s := fmt.Sprintf("%q at %v of %s", e.Kind, e.At, e.Actor)
	if e.Peer != "" {
		s += " with " + e.Peer
	}
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	if len(e.Payload) == 0 {
		return s
	}
	alike := 0
	for alike < min(len(e.Payload), len(other.Payload)) && e.Payload[alike] == other.Payload[alike] {
		alike++
	}
	if alike < 40 {
		return s + fmt.Sprintf(" %.60q", e.Payload)
	}
	return s + fmt.Sprintf(" …%.60q", e.Payload[alike-20:])
}
