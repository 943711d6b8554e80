package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// happening is an event of an actor, or its sending of a segment, which is no event of its own.
type happening struct {
	event *sim.Event
	sends bool
}

// actor returns the actor of the happening.
func (h happening) actor() string {
	if h.sends {
		return h.event.Peer
	}
	return h.event.Actor
}

func (h happening) at() time.Duration {
	if h.sends {
		return h.event.Sent
	}
	return h.event.At
}

// ShiViz writes all events as ShiViz reads them by itself: a line with the
// actor and its vector clock, and one with what happened.
// See https://bitbucket.org/bestchai/shiviz/wiki/Log%20format.
func ShiViz(out *bytes.Buffer, t *traces.Trace, _ string) error {
	s := story.Of(t)
	clocks := map[string]map[string]int{}
	sent := map[*sim.Event]map[string]int{} // the sender's clock
	hosts := shivizHosts{names: map[string]string{}, taken: map[string]bool{}}
	for _, h := range happenings(t) {
		actor := h.actor()
		own := hosts.of(actor)
		clock := clocks[actor]
		if clock == nil {
			clock = map[string]int{}
			clocks[actor] = clock
		}
		clock[own]++
		text := s.EventText(h.event)
		if h.sends {
			text = fmt.Sprintf("sends to %s: %s", h.event.Actor, s.PayloadOrDetail(h.event))
			sent[h.event] = maps.Clone(clock)
		} else if h.event.Kind != sim.EventDrop { // an actor learns nothing from a lost segment
			for host, n := range sent[h.event] { // unordered: each is another host's
				clock[host] = max(clock[host], n)
			}
		}
		told, err := json.Marshal(clock) // with sorted keys
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %s\n%s %s\n", own, told, traces.Moment(h.at()), oneLine(text))
	}
	return nil
}

// happenings returns the events that have an actor, and the sending of segments, in an order in which every segment is
// sent before it arrives.
func happenings(t *traces.Trace) (list []happening) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Actor == "" {
			continue
		}
		list = append(list, happening{event: e})
		if (e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop) && e.Peer != "" && e.Sent < e.At {
			list = append(list, happening{e, true})
		}
	}
	slices.SortStableFunc(list, func(a, b happening) int {
		// A segment that an actor sends at an instant comes after the actor's events at that instant.
		return cmp.Or(cmp.Compare(a.at(), b.at()), boolCompare(a.sends, b.sends), cmp.Compare(a.event.Seq, b.event.Seq))
	})
	return list
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// shivizHosts are the names of actors, made distinct and without spaces.
type shivizHosts struct {
	names map[string]string // by the actor
	taken map[string]bool
}

func (h *shivizHosts) of(actor string) string {
	if name, known := h.names[actor]; known {
		return name
	}
	plain := strings.Join(strings.Fields(wording.Printable(actor)), "_")
	name := plain
	for n := 2; name == "" || h.taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", plain, n)
	}
	h.names[actor], h.taken[name] = name, true
	return name
}

func oneLine(s string) string { return wording.Fit(wording.Printable(s), 240) }
