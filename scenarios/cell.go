package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Cell is one lock in one scenario, with parameters: all that a run depends on
// beside its tape.
type Cell struct {
	Scenario *Scenario
	Params   Params
	Lock     Lock
	// Properties are the ids of those that are judged, nil for the scenario's.
	// They do not travel with the cell: a worker is told by its [Resolver].
	Properties []string
	// twin is how a calm run differs that another is compared with.
	twin twin
}

// judged are the ids of the properties that are judged.
func (c Cell) judged() []string {
	if c.Properties != nil {
		return c.Properties
	}
	ids := c.Scenario.Properties()
	if c.Params.Weak > 0 {
		ids = slices.DeleteFunc(checker.IDs(), func(id string) bool { return id == checker.FairOrder })
	}
	if c.Lock.Queue != "" {
		ids = append(ids, checker.FairOrder)
	}
	return ids
}

// NewCell finds the scenario, and the lock among the given ones, by their ids
// and sets parameters over the scenario's defaults and the lock's needs.
func NewCell(scenario, lock string, params []traces.Parameter, locks []Lock) (Cell, error) {
	c, err := usualCell(scenario, lock, locks)
	if err != nil {
		return c, err
	}
	return c, c.settings().SetAll(&c.Params, params)
}

// RestoreCell is [NewCell] for a list of parameters that Params.List has made:
// what it leaves out is 0.
func RestoreCell(scenario, lock string, params []traces.Parameter, locks []Lock) (Cell, error) {
	c, err := usualCell(scenario, lock, locks)
	if err != nil {
		return c, err
	}
	c.settings().ClearUnlisted(&c.Params)
	return c, c.settings().SetAll(&c.Params, params)
}

// usualCell is the cell with the scenario's defaults and the lock's needs.
func usualCell(scenario, lock string, locks []Lock) (c Cell, err error) {
	if c.Scenario, err = Find(scenario); err != nil {
		return c, err
	}
	if c.Lock, err = FindLock(locks, lock); err != nil {
		return c, err
	}
	c.Params = c.Scenario.Params
	c.Lock.needs(&c.Params)
	return c, nil
}

// Settings are the parameters that are not as [NewCell] has them if none is
// set.
func (c Cell) Settings() []traces.Parameter {
	usual := c.Scenario.Params
	c.Lock.needs(&usual)
	return c.settings().Unlike(c.Params, usual)
}

// wireCell is how a cell travels to a worker process.
type wireCell struct {
	Scenario   string             `json:"scenario"`
	Lock       string             `json:"lock"`
	Parameters []traces.Parameter `json:"parameters"`
	Twin       twin               `json:"twin,omitempty"`
}

// Encode names the cell for a worker that resolves it with [Resolver].
func (c Cell) Encode() json.RawMessage {
	return encode(wireCell{c.Scenario.ID, c.Lock.ID, c.Parameters(), c.twin})
}

// encode names a cell for a worker.
func encode(w wireCell) json.RawMessage {
	raw, err := json.Marshal(w)
	must(err) // strings and numbers only
	return raw
}

// Decode finds the cell that was encoded.
func Decode(raw json.RawMessage, locks []Lock) (Cell, error) {
	var w wireCell
	if err := json.Unmarshal(raw, &w); err != nil {
		return Cell{}, fmt.Errorf("scenarios: the cell cannot be read: %w", err)
	}
	c, err := RestoreCell(w.Scenario, w.Lock, w.Parameters, locks)
	c.twin = w.Twin
	return c, err
}

// Smaller lists the encoded cells that are a step smaller than an encoded one of the
// same lock: with fewer clients, fewer rounds, or a smaller budget of faults, the most
// radical first. It is for [explore.Shrink].
func (c Cell) Smaller(raw json.RawMessage) []json.RawMessage {
	var w wireCell
	if json.Unmarshal(raw, &w) != nil {
		return nil // whoever resolves it will say so
	}
	var p Params
	if c.settings().SetAll(&p, w.Parameters) != nil {
		return nil
	}
	var list []json.RawMessage
	for _, q := range c.settings().Smaller(p) {
		list = append(list, encode(wireCell{Scenario: w.Scenario, Lock: w.Lock, Parameters: c.settings().List(q)}))
	}
	return list
}

// Resolver finds the runner of an encoded cell, for [explore.Serve]. The locks
// are those that the worker knows.
func Resolver(locks []Lock) func(json.RawMessage) (explore.Runner, error) {
	return func(raw json.RawMessage) (explore.Runner, error) {
		c, err := Decode(raw, locks)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}
}

// CellOf finds the cell that a trace was made of.
func CellOf(t *traces.Trace, locks []Lock) (Cell, error) {
	return RestoreCell(t.Scenario, t.Lock, t.Parameters, locks)
}
