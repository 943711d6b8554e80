package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Cell is one lock in one scenario, with parameters. A run depends on its cell and its
// tape only.
type Cell struct {
	Scenario *Scenario
	Params   Params
	Lock     Lock
	// Properties are the ids of the properties to judge, nil for the scenario's. Encode
	// does not include them: a worker gets them from its [Resolver].
	Properties []string
	// twin is how a calm run differs from the one it is compared with.
	twin twin
}

// Judged are the ids of the properties to judge.
func (c Cell) Judged() []string {
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

// NewCell finds the scenario, and the lock among the given ones, by their ids. It sets the
// parameters over the scenario's defaults and the lock's minimums.
func NewCell(scenario, lock string, params []traces.Parameter, locks []Lock) (Cell, error) {
	c, err := usualCell(scenario, lock, locks)
	if err != nil {
		return c, err
	}
	return c, c.settings().SetAll(&c.Params, params)
}

// RestoreCell is [NewCell] for a list of parameters from Params.List. Parameters that are
// not in the list are 0.
func RestoreCell(scenario, lock string, params []traces.Parameter, locks []Lock) (Cell, error) {
	c, err := usualCell(scenario, lock, locks)
	if err != nil {
		return c, err
	}
	c.settings().ClearUnlisted(&c.Params)
	return c, c.settings().SetAll(&c.Params, params)
}

// usualCell is the cell with the scenario's defaults and the lock's minimums.
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

// Settings are the parameters that differ from those of a [NewCell] without parameters.
func (c Cell) Settings() []traces.Parameter {
	usual := c.Scenario.Params
	c.Lock.needs(&usual)
	return c.settings().Unlike(c.Params, usual)
}

// wireCell is a cell as it is sent to a worker process.
type wireCell struct {
	Scenario   string             `json:"scenario"`
	Lock       string             `json:"lock"`
	Parameters []traces.Parameter `json:"parameters"`
	Twin       twin               `json:"twin,omitempty"`
}

// Encode encodes the cell for a worker, which decodes it with [Resolver].
func (c Cell) Encode() json.RawMessage {
	return encode(wireCell{c.Scenario.ID, c.Lock.ID, c.Parameters(), c.twin})
}

// encode encodes a cell for a worker.
func encode(w wireCell) json.RawMessage {
	raw, err := json.Marshal(w)
	must(err) // strings and numbers only
	return raw
}

// Decode decodes a cell.
func Decode(raw json.RawMessage, locks []Lock) (Cell, error) {
	var w wireCell
	if err := json.Unmarshal(raw, &w); err != nil {
		return Cell{}, fmt.Errorf("scenarios: the cell cannot be read: %w", err)
	}
	c, err := RestoreCell(w.Scenario, w.Lock, w.Parameters, locks)
	c.twin = w.Twin
	return c, err
}

// Smaller returns the encoded cells that are one step smaller than the given one, of the
// same lock: with fewer clients, fewer rounds or a smaller fault budget, the largest step
// first. It is for [explore.Shrink].
func (c Cell) Smaller(raw json.RawMessage) []json.RawMessage {
	var w wireCell
	if json.Unmarshal(raw, &w) != nil {
		return nil // resolving it reports the error
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

// Resolver returns a function that decodes a cell and returns its runner, for
// [explore.Serve]. Locks are those that the worker knows.
func Resolver(locks []Lock) func(json.RawMessage) (explore.Runner, error) {
	return func(raw json.RawMessage) (explore.Runner, error) {
		c, err := Decode(raw, locks)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	}
}

// CellOf returns the cell of a trace.
func CellOf(t *traces.Trace, locks []Lock) (Cell, error) {
	return RestoreCell(t.Scenario, t.Lock, t.Parameters, locks)
}
