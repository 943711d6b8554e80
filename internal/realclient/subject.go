package realclient

import (
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Subject is the lock of a trace, with the scenario and its parameters, for the driver of real servers.
type Subject interface {
	// Facts returns the facts that are the same for all runs.
	Facts() Facts
	// Extent returns the part of the trace that its violation needs.
	Extent(t *traces.Trace) (Extent, error)
	// Judge returns a real run as a trace, with the verdict on the run's property.
	Judge(r Run) (*traces.Trace, error)
}

// Facts are the facts about a subject that are the same for all its runs.
type Facts struct {
	// Cell is the encoded cell, for [Outfit].
	Cell json.RawMessage `json:"cell"`
	Lock string          `json:"lock"` // its ID
	// Program is set if the subject is a program, which no client process can run.
	Program bool `json:"program,omitempty"`
	// Store is the ID of its store, and Versions are those of the store's client libraries.
	Store    string            `json:"store"`
	Versions map[string]string `json:"versions,omitempty"`
	// Schema has the statements that set up the servers, if the store needs any.
	Schema []string `json:"schema,omitempty"`
	// Settings are the parameters of the store that are not 0, by their names, as texts.
	Settings map[string]string `json:"settings,omitempty"`
	// Deployed is set if clients ask the servers which of them serves.
	Deployed *Deployed     `json:"deployed,omitempty"`
	Lease    time.Duration `json:"leaseNanos"`
	Kind     model.Kind    `json:"kind,omitempty"`
	Threads  int           `json:"threads"`
	// Made is the constructor of the lock, the zero Function if it has none.
	Made Function `json:"made,omitzero"`
}

// Deployed is the parameter by which clients ask the servers which of them serves.
type Deployed struct {
	Parameter string `json:"parameter"`
	Value     string `json:"value"`
	// Fixed is the value with which they do not ask.
	Fixed string `json:"fixed"`
}

// Function is the declaration of a function: its name as in package runtime, its file and its line.
type Function struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// FunctionOf returns the declaration of a function, or a given Function; the zero Function for nil.
func FunctionOf(f any) Function {
	if known, is := f.(Function); is {
		return known
	}
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return Function{}
	}
	in := runtime.FuncForPC(v.Pointer())
	if in == nil {
		return Function{}
	}
	file, line := in.FileLine(in.Entry())
	return Function{in.Name(), file, line}
}

// Run is a run on real servers.
type Run struct {
	// Property is the one to judge, empty for none.
	Property string        `json:"property,omitempty"`
	Seed     uint64        `json:"seed"` // of the trace
	Events   []sim.Event   `json:"events"`
	History  model.History `json:"history"`
}

// Here returns the subject of a cell whose lock this process has.
func Here(c cell.Cell) Subject { return here{c} }

type here struct{ cell.Cell }

func (h here) Facts() Facts {
	store := h.Lock.Store
	f := Facts{
		Cell: h.Encode(), Lock: h.Lock.ID, Program: h.IsProgram(), Store: store.ID(), Versions: store.Versions(),
		Lease: h.Params.LeaseAsked(), Kind: h.Judging().Spec.Kind, Threads: h.Params.ThreadCount(), Made: FunctionOf(h.Lock.Constructor()),
	}
	if s, has := store.(interface{ Schema() []string }); has {
		f.Schema = s.Schema()
	}
	for _, d := range store.Shape() {
		now := d.Of(h.Params)
		if now == 0 {
			continue
		}
		if f.Settings == nil {
			f.Settings = map[string]string{}
		}
		f.Settings[d.Name] = d.Text(now)
		if d.Name == stage.Topology {
			f.Deployed = &Deployed{d.Name, d.Text(now), d.Text(0)}
		}
	}
	return f
}

func (h here) Extent(t *traces.Trace) (Extent, error) {
	return extentOf(t, t.Verdict(), h.Judging()), nil
}

// promptly is the time within which a real process returns from a call that need not wait.
const promptly = 50 * time.Millisecond

func (h here) Judge(r Run) (*traces.Trace, error) {
	out := explore.Outcome{Recording: &explore.Recording{Events: r.Events, History: r.History}}
	violated := ""
	if r.Property != "" {
		options := h.Judging()
		options.CancelBound = max(options.CancelBound, promptly)
		out.Verdicts = checker.Check(&r.History, options, r.Property)
		if out.Verdicts[0].Status == model.Violated {
			violated = r.Property
		}
	}
	settle(&out.Recording.History)
	if view := h.Lock.Reading.Ownership; view != nil {
		out.Recording.History.Keys = r.History.LockKeys(view)
	}
	t := h.Trace(r.Seed, -1, violated, out)
	t.Hash = ""
	return t, nil
}

// settle ends the open operations of a run, and gives pauses their actual length, in copies.
func settle(h *model.History) {
	h.Observations = withPauses(h.Observations)
	h.Operations = slices.Clone(h.Operations)
	for i := range h.Operations {
		if op := &h.Operations[i]; !op.Return.Happened() {
			op.Result = model.Unknown // the run ended before
		}
	}
	h.Calls = slices.Clone(h.Calls)
	for i := range h.Calls {
		if op := h.Operation(h.Calls[i].ID); op != nil {
			h.Calls[i].Outcome = op.Result
		}
	}
}

// withPauses returns the observations with the actual length of pauses.
func withPauses(list []model.Observation) []model.Observation {
	list = slices.Clone(list)
	for i := range list {
		o := &list[i]
		end := slices.IndexFunc(list[i:], func(e model.Observation) bool { return e.Kind == model.Resumed && e.Node == o.Node })
		if o.Kind == model.Paused && end >= 0 {
			o.For = list[i+end].At - o.At
		}
	}
	return list
}
