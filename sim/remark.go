package sim

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// A Remark is a fact about a recorded run beside its events: a line of code, or a line printed. It is not part of the
// run: the hash does not cover it, and nothing depends on it.
type Remark struct {
	// Seq is the number of the event that the remark is about, or of the last event before a line was
	// printed, 0 if there was none.
	Seq int64 `json:"seq"`
	// Code is the line of the user's code that sent the request or made the call, such as "mylock/lock.go:41": the path
	// of the file in its module or, for a library, with its import path.
	Code string `json:"code,omitempty"`
	// Line is a line that code of the run printed, At is when, and Actor is the process that the step belongs to, empty
	// if none. In a build that cannot see timers fire, such as one with the race detector, a line printed between two
	// events has the time of the later one.
	Line  string        `json:"line,omitempty"`
	At    time.Duration `json:"atNanos,omitempty"`
	Actor string        `json:"actor,omitempty"`
	// Unkept is the number of further lines that were printed in the run.
	Unkept int `json:"unkept,omitempty"`
}

// The limits of the output that is kept: lines, bytes of a line, and bytes of all
// lines.
const (
	MaxLines   = 1000
	MaxLine    = 500
	maxPrinted = 64 << 10
)

// printed is the output of the run's code so far.
type printed struct {
	line   []byte // the last one, not ended yet
	longer bool   // line is too long
	lines  int
	bytes  int
	unkept int
}

// listen adds remarks on the output of the step that has just ended. All goroutines are
// blocked.
func (w *World) listen() {
	if w.config.Printed == nil || !w.config.Record || w.draining() {
		return
	}
	for text := w.config.Printed(); len(text) > 0; text = w.config.Printed() {
		for len(text) > 0 {
			line, rest, ended := bytes.Cut(text, []byte{'\n'})
			w.printed.add(line)
			if text = rest; ended {
				w.printedLine()
			}
		}
	}
	if len(w.printed.line) > 0 {
		w.printedLine()
	}
}

// add adds a part of a line.
func (p *printed) add(part []byte) {
	room := min(MaxLine-len(p.line), len(part))
	p.line = append(p.line, part[:room]...)
	p.longer = p.longer || room < len(part)
}

// printedLine adds a remark on the printed line, unless it is empty or there is no room
// for it.
func (w *World) printedLine() {
	p := &w.printed
	line := strings.ToValidUTF8(strings.TrimRight(string(p.line), "\r"), "\ufffd")
	if p.longer || len(line) > MaxLine {
		line = strings.TrimRight(strings.ToValidUTF8(line[:min(len(line), MaxLine)], ""), "\ufffd") + "…"
	}
	p.line, p.longer = p.line[:0], false
	switch {
	case line == "":
		return
	case p.lines == MaxLines || p.bytes+len(line) > maxPrinted:
		p.unkept++
		return
	}
	p.lines, p.bytes = p.lines+1, p.bytes+len(line)
	now := w.bubble.Now()
	r := Remark{Seq: w.seq, Line: line, At: max(w.now, w.floor(now))}
	if id := int(now % time.Microsecond); id < len(w.actors) && w.actors[id].process != nil {
		r.Actor = w.actors[id].name
	}
	w.remarks = append(w.remarks, r)
}

// allRemarks returns the remarks in the order of their events.
func (w *World) allRemarks() []Remark {
	slices.SortStableFunc(w.remarks, func(a, b Remark) int { return cmp.Compare(a.Seq, b.Seq) })
	if n := w.printed.unkept; n > 0 {
		w.remarks = append(w.remarks, Remark{Seq: w.seq, Unkept: n})
	}
	return w.remarks
}

// stackHere returns the stack of the calling goroutine, nil in a run that is not recorded.
func (w *World) stackHere() []uintptr {
	if !w.config.Record {
		return nil
	}
	defer goruntime.Undrawn()()
	stack := make([]uintptr, 128)
	return stack[:runtime.Callers(2, stack)]
}

// Begun notes the event with which a task began, so that a remark on it can name the line of the user's code that began
// the task. If the workload began it for the user's code, that is the line of its first request. Only the conductor may
// call it.
func (w *World) Begun(t *Task, e Event) {
	t.began = e.Seq
	w.locate(t)
}

// locate adds a remark on the event with which a task began, once the event and the line
// are known.
func (w *World) locate(t *Task) {
	if t.began > 0 {
		w.madeBy(Event{Seq: t.began}, t.code)
	}
}

// madeBy adds a remark that names the line of the user's code that caused an event, if
// the line is known.
func (w *World) madeBy(e Event, code string) {
	if code != "" && w.config.Record && !w.draining() {
		w.remarks = append(w.remarks, Remark{Seq: e.Seq, Code: code})
	}
}
