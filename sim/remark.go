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

// A Remark is what is known of a recorded run beside its events. It is no part of the run: the hash does not cover it, and
// nothing rests on it.
type Remark struct {
	// Seq is the event that it is about, or the last one before a line was printed, 0 if there was none.
	Seq int64 `json:"seq"`
	// Code is the line of the user's code that has sent the request or made the call, such as "mylock/lock.go:41": the path of the
	// file in its module, or, of a library, as it is imported.
	Code string `json:"code,omitempty"`
	// Line is a line that code of the run has printed, At is when, and Actor is the process that the step was one of, empty if it was none.
	// In a build that cannot see timers fire, such as that with the race detector, what a goroutine prints between two events has the time of the later one.
	Line  string        `json:"line,omitempty"`
	At    time.Duration `json:"atNanos,omitempty"`
	Actor string        `json:"actor,omitempty"`
	// Unkept is how many lines more were printed in the run.
	Unkept int `json:"unkept,omitempty"`
}

// The most that is kept of what a run prints: lines, bytes of a line, and bytes of all.
const (
	MaxLines   = 1000
	MaxLine    = 500
	maxPrinted = 64 << 10
)

// printed is what code of the run has printed so far.
type printed struct {
	line   []byte // that has not ended yet
	longer bool   // and is too long
	lines  int
	bytes  int
	unkept int
}

// listen remarks what was printed in the step that has just ended. All goroutines are blocked.
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

// printedLine remarks a line, if there is room for it and anything in it.
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

// Begun notes the event with which a task began, so that it is known which line of the user's code has called it: if the workload has
// for him, the line of the first request. Only the conductor may call it.
func (w *World) Begun(t *Task, e Event) {
	t.began = e.Seq
	w.locate(t)
}

// locate remarks on the event with which a task began, once that and the line are known.
func (w *World) locate(t *Task) {
	if t.began > 0 {
		w.madeBy(Event{Seq: t.began}, t.code)
	}
}

// madeBy remarks on an event which line of the user's code has made it, if that is known.
func (w *World) madeBy(e Event, code string) {
	if code != "" && w.config.Record && !w.draining() {
		w.remarks = append(w.remarks, Remark{Seq: e.Seq, Code: code})
	}
}
