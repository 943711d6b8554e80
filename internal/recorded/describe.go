package recorded

import (
	"slices"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Description is the lock of a test in the cell of a trace, for a process that does not have it.
type Description struct {
	Lock string     `json:"lock"`
	Spec model.Spec `json:"spec"`
	// Parameters are those that all scenarios have: faults that only the test has are left out.
	Parameters []traces.Parameter `json:"parameters"`
	Renews     bool               `json:"renews,omitempty"`
	Program    bool               `json:"program,omitempty"`
	// Ownership is set if the test has one of its own.
	Ownership bool   `json:"ownership,omitempty"`
	Queue     string `json:"queue,omitempty"`
	Single    bool   `json:"single,omitempty"`
	// Judged are the ids of the properties to judge, nil for the usual ones, and Own the test's own properties.
	Judged []string      `json:"judged,omitempty"`
	Own    []ownProperty `json:"own,omitempty"`
	// Constructor is the function that makes the lock; the zero value for a program.
	Constructor command.Function `json:"constructor"`
}

// ownProperty is a property of a test without its function.
type ownProperty struct {
	ID          string            `json:"id"`
	Letter      string            `json:"letter"`
	Legend      string            `json:"legend"`
	About       string            `json:"about"`
	Description model.Description `json:"description"`
	MayBeLimit  bool              `json:"mayBeLimit,omitempty"`
	Weak        bool              `json:"weak,omitempty"`
	Promised    bool              `json:"promised,omitempty"`
	NeedsHolder bool              `json:"needsHolder,omitempty"`
}

// describe describes the lock in the cell of a trace.
func (s *serving) describe(t *traces.Trace) (*Description, error) {
	c, err := s.host.Cell(t)
	if err != nil {
		return nil, err
	}
	l := c.Lock
	d := &Description{
		Lock: l.ID, Spec: l.Subject.Spec(), Renews: l.Renews, Program: c.IsProgram(),
		Ownership: l.Reading.Ownership != nil, Queue: l.Reading.Queue, Single: l.Reading.Single, Judged: s.host.Properties,
	}
	own := s.host.Known.Faults(l.Store)
	for _, p := range c.Parameters() {
		if !slices.ContainsFunc(own, func(f *stage.Fault) bool { return f.Name == p.Name }) {
			d.Parameters = append(d.Parameters, p)
		}
	}
	for _, p := range c.Added {
		d.Own = append(d.Own, ownProperty{p.ID, p.Letter, p.Legend, p.About, p.Description, p.MayBeLimit, p.Weak, p.Promised, p.NeedsHolder})
	}
	if !d.Program {
		d.Constructor = command.FunctionOf(l.Constructor())
	}
	return d, nil
}
