package export

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// maxArrows is the maximum number of messages in a sequence diagram, besides its steps.
const maxArrows = 24

// Mermaid writes the story as a sequence diagram: its steps as notes, and the messages
// between them that the clients of the story send and get.
func Mermaid(out *bytes.Buffer, t *traces.Trace, _ string) error {
	s := story.Of(t)
	steps := s.Steps
	arrows, left := arrowsOf(s)
	out.WriteString("sequenceDiagram\n")
	names := participants(t, steps, arrows)
	for i, name := range names {
		fmt.Fprintf(out, "    participant a%d as %s\n", i, mermaidText(name))
	}
	id := func(name string) string { return fmt.Sprintf("a%d", slices.Index(names, name)) }
	if left > 0 {
		fmt.Fprintf(out, "    Note over a0: %s left out\n", wording.Count(left, "message"))
	}
	decimals := story.StepDecimals(steps)
	for len(steps)+len(arrows) > 0 {
		if len(arrows) == 0 || len(steps) > 0 && precedes(steps[0], arrows[0].Event) {
			writeNote(out, id, steps[0], decimals)
			steps = steps[1:]
			continue
		}
		a := arrows[0]
		head, text := "->>", a.text
		if a.Kind == sim.EventDrop {
			head = "-x"
		}
		if a.times > 1 {
			text += fmt.Sprintf(", %d times", a.times)
		}
		fmt.Fprintf(out, "    %s%s%s: %s\n", id(a.Peer), head, id(a.Actor), mermaidText(text))
		arrows = arrows[1:]
	}
	return nil
}

// writeNote writes a step.
func writeNote(out *bytes.Buffer, id func(string) string, step story.Step, decimals int) {
	text := mermaidText(traces.Seconds(step.At, decimals) + " " + step.Actor + " " + step.Text)
	if step.Violating {
		fmt.Fprintf(out, "    rect rgba(214, 39, 40, 0.15)\n    Note over %s: ✗ %s\n    end\n", id(step.Actor), text)
		return
	}
	fmt.Fprintf(out, "    Note over %s: %s\n", id(step.Actor), text)
}

// exchanged is a message, with its number of repetitions between two steps.
type exchanged struct {
	*sim.Event
	text  string
	times int
}

// arrowsOf returns the messages between the first and the last of the steps that clients of the story send or get, the
// latest of them if they are too many, and the number left out. A message that is repeated before the next step is
// counted.
func arrowsOf(s *story.Story) (list []exchanged, left int) {
	steps := s.Steps
	if len(steps) == 0 {
		return nil, 0
	}
	of := func(name string) bool { return slices.Contains(s.Clients, name) }
	next, since := 0, 0 // the next step, and the first message since the last one
	for i := range s.Trace.Events {
		e := &s.Trace.Events[i]
		message := e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop
		if !message || e.Peer == "" || len(e.Payload) == 0 || !of(e.Actor) && !of(e.Peer) || e.At < steps[0].At || e.At > steps[len(steps)-1].At {
			continue
		}
		for ; next < len(steps) && precedes(steps[next], e); next++ {
			since = len(list)
		}
		a := exchanged{e, s.PayloadOrDetail(e), 1}
		again := slices.IndexFunc(list[since:], func(o exchanged) bool {
			return o.Kind == e.Kind && o.Actor == e.Actor && o.Peer == e.Peer && o.text == a.text
		})
		if again >= 0 {
			list[since+again].times++
			continue
		}
		list = append(list, a)
	}
	for _, a := range list[:max(0, len(list)-maxArrows)] {
		left += a.times
	}
	return list[max(0, len(list)-maxArrows):], left
}

// precedes reports whether a step comes before an event.
func precedes(s story.Step, e *sim.Event) bool {
	return cmp.Or(cmp.Compare(s.At, e.At), cmp.Compare(s.Seq, e.Seq)) <= 0
}

// participants returns the actors of steps and messages, in the order of their lanes.
func participants(t *traces.Trace, steps []story.Step, arrows []exchanged) (names []string) {
	seen := map[string]bool{}
	for _, s := range steps {
		seen[s.Actor] = true
	}
	for _, a := range arrows {
		seen[a.Actor], seen[a.Peer] = true, true
	}
	for _, name := range lanesOf(t) {
		if seen[name] {
			names = append(names, name)
			delete(seen, name)
		}
	}
	rest := []string{}
	for name := range seen { // unordered: sorted below
		rest = append(rest, name)
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// mermaidText returns a text that is not too long for a diagram.
func mermaidText(s string) string { return wording.Mermaid(wording.Fit(wording.Printable(s), 160)) }

// lanesOf returns the names of the actors, in the order of their lanes, and then of all others that
// have events.
func lanesOf(t *traces.Trace) (names []string) {
	for _, a := range t.Actors {
		names = append(names, a.Name)
	}
	for i := range t.Events {
		if name := t.Events[i].Actor; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
