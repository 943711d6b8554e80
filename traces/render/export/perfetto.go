package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// perfettoEvent is an event of the Trace Event Format of Chrome, which Perfetto reads too.
// Times are in microseconds.
type perfettoEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	At    float64        `json:"ts"`
	For   *float64       `json:"dur,omitempty"`
	Actor int            `json:"pid"`
	Track int            `json:"tid"`
	ID    string         `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"` // of the end of a flow: to the slice that encloses it
	Scope string         `json:"s,omitempty"`  // of an instant: that of its thread
	Args  map[string]any `json:"args,omitempty"`
}

// The tracks of an actor beside its threads, which count from 0 and are never so many.
const (
	messageTrack = 1<<31 - 2 + iota
	eventTrack
)

// perfetto writes a trace in that format. Every actor is a process. Its threads have the calls on the lock; its messages
// are slices on a track of their own, joined by flows. Things that may overlap are asynchronous: beliefs of holding the
// lock, pauses, roles.
type perfetto struct {
	story  *story.Story
	pids   map[string]int
	events []perfettoEvent
	ids    int
}

// Perfetto writes a trace in the Trace Event Format.
func Perfetto(out *bytes.Buffer, t *traces.Trace, replay string) error {
	p := &perfetto{story: story.Of(t), pids: map[string]int{}}
	p.actors()
	p.operations()
	p.spans()
	p.messages()
	p.instants()
	file := map[string]any{
		"traceEvents":     p.events,
		"displayTimeUnit": "ms",
		"otherData":       map[string]string{"lock": t.Lock, "scenario": t.Scenario, "property": t.Property, "hash": t.Hash, "replay": replay},
	}
	return json.NewEncoder(out).Encode(file)
}

func (p *perfetto) add(e perfettoEvent) { p.events = append(p.events, e) }

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// sliceFor returns how long a slice is; at least a nanosecond, so that it can be seen.
func sliceFor(from, to time.Duration) *float64 {
	d := microseconds(max(to-from, time.Nanosecond))
	return &d
}

// actors names processes and tracks, in the order of the lanes.
func (p *perfetto) actors() {
	for _, name := range lanesOf(p.story.Trace) {
		p.pid(name)
	}
}

// pid returns the number of an actor, which it names first.
func (p *perfetto) pid(name string) int {
	if pid := p.pids[name]; pid > 0 {
		return pid
	}
	pid := len(p.pids) + 1
	p.pids[name] = pid
	meta := func(what string, track int, args map[string]any) {
		p.add(perfettoEvent{Name: what, Phase: "M", Actor: pid, Track: track, Args: args})
	}
	meta("process_name", 0, map[string]any{"name": wording.Printable(name)})
	meta("process_sort_index", 0, map[string]any{"sort_index": pid})
	named := map[int]bool{}
	for i := range p.story.Trace.History.Operations {
		if o := &p.story.Trace.History.Operations[i]; o.Client == name && !named[o.Thread] {
			named[o.Thread] = true
			meta("thread_name", o.Thread, map[string]any{"name": "thread " + strconv.Itoa(o.Thread+1)})
		}
	}
	meta("thread_name", messageTrack, map[string]any{"name": "messages"})
	meta("thread_name", eventTrack, map[string]any{"name": "events"})
	return pid
}

// operations writes the calls of clients.
func (p *perfetto) operations() {
	h := &p.story.Trace.History
	for i := range h.Operations {
		o := &h.Operations[i]
		end := o.Return
		if !end.Happened() {
			end = h.End
		}
		args := map[string]any{"operation": o.ID, "outcome": string(o.Result)}
		if o.Err != "" {
			args["error"] = wording.Printable(o.Err)
		}
		p.add(perfettoEvent{
			Name: string(o.Kind), Cat: "operation", Phase: "X", At: microseconds(o.Call.At), For: sliceFor(o.Call.At, end.At),
			Actor: p.pid(o.Client), Track: o.Thread, Args: args,
		})
	}
}

// span writes something that lasts and may overlap others of its kind.
func (p *perfetto) span(actor, category, name string, from, to time.Duration) {
	p.ids++
	id := strconv.Itoa(p.ids)
	e := perfettoEvent{Name: name, Cat: category, Phase: "b", At: microseconds(from), Actor: p.pid(actor), ID: id}
	p.add(e)
	e.Phase, e.At = "e", microseconds(max(to, from))
	p.add(e)
}

// spans writes beliefs, pauses and roles.
func (p *perfetto) spans() {
	end := p.story.Trace.History.End.At
	until := func(s model.Stamp) time.Duration {
		if !s.Happened() || s.At > end {
			return end
		}
		return s.At
	}
	for _, c := range p.story.Claims {
		p.span(c.Acquire.Client, "belief", fmt.Sprintf("holds the lock (acquire %d)", c.Acquire.ID), c.From.At, until(c.To))
	}
	for _, s := range p.story.Pauses {
		p.span(s.Actor, "pause", "paused", s.From.At, until(s.To))
	}
	for _, a := range p.story.Trace.Actors {
		if a.Kind != traces.NodeActor {
			continue
		}
		for _, r := range p.story.Reigns(a.Name) {
			p.span(a.Name, "role", r.Called(p.story.TermsAt(a.Name)), r.From.At, until(r.To))
		}
	}
}

// messages writes the segments, each as a slice where it is sent and one where it arrives.
func (p *perfetto) messages() {
	for i := range p.story.Trace.Events {
		e := &p.story.Trace.Events[i]
		if e.Kind != sim.EventDeliver && e.Kind != sim.EventDrop || e.Peer == "" {
			continue
		}
		text := wording.Fit(wording.Printable(p.story.PayloadOrDetail(e)), 120)
		p.ids++
		id := strconv.Itoa(p.ids)
		slice := func(name, actor string, at time.Duration, args map[string]any) {
			p.add(perfettoEvent{Name: name, Cat: "message", Phase: "X", At: microseconds(at), For: sliceFor(at, at), Actor: p.pid(actor), Track: messageTrack, Args: args})
		}
		slice("to "+wording.Printable(e.Actor)+": "+text, e.Peer, e.Sent, nil)
		arrival := "from " + wording.Printable(e.Peer) + ": " + text
		if e.Kind == sim.EventDrop {
			arrival = "lost, " + arrival
		}
		slice(arrival, e.Actor, e.At, map[string]any{"event": e.Seq, "connection": e.Conn, "late": e.Late})
		flow := perfettoEvent{Name: "segment", Cat: "message", Phase: "s", At: microseconds(e.Sent), Actor: p.pid(e.Peer), Track: messageTrack, ID: id}
		p.add(flow)
		flow.Phase, flow.At, flow.Actor, flow.Bind = "f", microseconds(e.At), p.pid(e.Actor), "e"
		p.add(flow)
	}
}

// instants writes all other events.
func (p *perfetto) instants() {
	for i := range p.story.Trace.Events {
		e := &p.story.Trace.Events[i]
		if e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop || e.Actor == "" {
			continue
		}
		p.add(perfettoEvent{
			Name: p.story.EventText(e), Cat: string(e.Kind), Phase: "i", Scope: "t", At: microseconds(e.At),
			Actor: p.pid(e.Actor), Track: eventTrack, Args: map[string]any{"event": e.Seq},
		})
	}
}
