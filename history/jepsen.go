package history

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lockpick-dev/lockpick/history/internal/edn"
	"github.com/lockpick-dev/lockpick/model"
)

// jepsenOp is an operation of a Jepsen history: an :invoke with its :ok, :fail
// or :info, if it has one.
type jepsenOp struct {
	// process is the :process, with a number appended after each crash.
	process string
	f       string // the keyword :f
	err     string // the :error of its end, if there is one
	outcome model.Outcome
	// asked is the :value of the :invoke, and answered that of the :ok, nil if there is
	// none.
	asked, answered edn.Value
	line            int
	// call and ret are event numbers, ret 0 without :ok or :fail; at has the :time of
	// both events, if any.
	call, ret     int64
	called, ended int64
}

// jepsenReader pairs the events of a Jepsen history.
type jepsenReader struct {
	ops   []jepsenOp
	notes []Annotation
	// open has, by process, the place of the operation under way, and lives the number
	// of the process's life.
	open   map[string]int
	lives  map[string]int
	events int64
	index  int64 // of the event before
	parts  int   // the number of parts of the kept values
}

// partsEach is the largest average number of parts of an operation's values. A part
// takes 64 bytes of memory, and as few as two bytes of the file.
const partsEach = 16

// jepsenEvent is one map of the file.
type jepsenEvent struct {
	line          int
	kind, f       string
	process       edn.Value
	value         edn.Value
	err           string // the :error
	at            int64
	index         int64
	indexed, real bool // index and at are set
}

// pairJepsen reads events and pairs them to at most the given number of operations.
// Events of processes other than numbers, such as :nemesis, become annotations.
func pairJepsen(in io.Reader, most int) (*jepsenReader, error) {
	r := &jepsenReader{open: make(map[string]int), lives: make(map[string]int), index: -1}
	forms := edn.NewReader(in)
	for {
		form, err := forms.Next()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		var wrong *edn.Error
		if errors.As(err, &wrong) {
			return nil, &LineError{Line: wrong.Line, Problem: wrong.Problem}
		}
		if err != nil {
			return nil, err
		}
		event, err := eventOf(form)
		if err == nil {
			err = r.add(event)
		}
		switch {
		case err != nil:
		case len(r.ops)+len(r.notes) > most:
			err = fmt.Errorf("more than %d operations", most)
		case r.parts > partsEach*most:
			err = fmt.Errorf("values of more than %d parts in all", partsEach*most)
		}
		if err != nil {
			return nil, &LineError{Line: form.Line, Problem: err.Error()}
		}
	}
}

// exampleEDN is an event in EDN.
const exampleEDN = `{:type :invoke, :f :acquire, :process 1, :value nil}`

// eventOf reads one map. It ignores keys that Jepsen's tests add for themselves; an :error is for the
// reader.
func eventOf(form edn.Value) (e jepsenEvent, err error) {
	if form.Kind == edn.Tagged { // #jepsen.history.Op{…}
		form = form.Items[0]
	}
	if form.Kind != edn.Map {
		return e, fmt.Errorf("want a map such as %s, not %s", exampleEDN, brief(form))
	}
	e.line = form.Line
	for _, want := range []struct {
		key  string
		text *string
	}{{"type", &e.kind}, {"f", &e.f}} {
		v, ok := form.Get(want.key)
		if !ok || v.Kind != edn.Keyword {
			return e, fmt.Errorf(":%s: want a keyword, %s", want.key, found(v, ok))
		}
		*want.text = v.Text
	}
	if !slices.Contains([]string{"invoke", "ok", "fail", "info"}, e.kind) {
		return e, fmt.Errorf(":type: want :invoke, :ok, :fail or :info, not %s", quote(":"+e.kind))
	}
	process, ok := form.Get("process")
	if !ok || process.Kind != edn.Int && process.Kind != edn.Keyword {
		return e, fmt.Errorf(":process: want a whole number, or a keyword such as :nemesis, %s", found(process, ok))
	}
	e.process = process
	e.value, _ = form.Get("value")
	if v, ok := form.Get("error"); ok {
		e.err = clip(v.String())
	}
	if e.at, e.real, err = number(form, "time"); err != nil {
		return e, err
	}
	e.index, e.indexed, err = number(form, "index")
	return e, err
}

// number reads a whole number that may be missing.
func number(form edn.Value, key string) (int64, bool, error) {
	v, ok := form.Get(key)
	if !ok || v.Kind == edn.Nil {
		return 0, false, nil
	}
	if v.Kind != edn.Int {
		return 0, false, fmt.Errorf(":%s: want a whole number, not %s", key, brief(v))
	}
	return v.Int, true, nil
}

func found(v edn.Value, ok bool) string {
	if !ok {
		return "and there is none"
	}
	return "not " + brief(v)
}

func brief(v edn.Value) string { return clip(v.String()) }

// add adds an event, in the order of the file.
func (r *jepsenReader) add(e jepsenEvent) error {
	if e.indexed {
		if e.index <= r.index {
			return fmt.Errorf(":index %d behind %d: want the events in their order", e.index, r.index)
		}
		r.index = e.index
	}
	if e.process.Kind == edn.Keyword {
		note := Annotation{Text: clip(fmt.Sprintf(":%s %s", e.f, e.value)), On: e.process.Text, From: r.events + 1, To: r.events + 1}
		if e.real {
			note.Began, note.Ended = e.at, e.at
		}
		r.notes = append(r.notes, note)
		return nil
	}
	r.events++
	r.parts += e.value.Parts()
	name := fmt.Sprint(e.process.Int)
	i, open := r.open[name]
	if e.kind != "invoke" {
		if !open {
			return fmt.Errorf(":%s of process %s, which has nothing under way: want an :invoke before", e.kind, name)
		}
		return r.complete(name, &r.ops[i], e)
	}
	if open {
		return fmt.Errorf(":invoke of process %s, whose :invoke of line %d is under way: want its :ok, :fail or :info before", name, r.ops[i].line)
	}
	op := jepsenOp{process: name, f: e.f, outcome: model.Unknown, asked: e.value, line: e.line, call: r.events, called: r.events}
	if life := r.lives[name]; life > 0 {
		op.process = fmt.Sprintf("%s.%d", name, life+1)
	}
	if e.real {
		op.called = e.at
	}
	r.open[name] = len(r.ops)
	r.ops = append(r.ops, op)
	return nil
}

// complete ends the operation that a process has under way.
func (r *jepsenReader) complete(name string, op *jepsenOp, e jepsenEvent) error {
	if e.f != op.f {
		return fmt.Errorf(":%s of :%s, where process %s has :%s of line %d under way", e.kind, clip(e.f), name, clip(op.f), op.line)
	}
	delete(r.open, name)
	op.err = e.err
	if e.kind == "info" { // it may still take effect, and its process is another from here on
		r.lives[name]++
		return nil
	}
	op.ret, op.ended = r.events, r.events
	if e.real {
		op.ended = e.at
	}
	op.outcome = model.Failed
	if e.kind == "ok" {
		op.outcome, op.answered = model.OK, e.value
	}
	return nil
}
