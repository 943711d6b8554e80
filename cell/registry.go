package cell

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Registry has the scenarios and the locks that cells are made of, by their ids. The lists
// are in listing order, and ids are unique in each.
type Registry struct {
	Scenarios []*Scenario
	Locks     []Lock
	// Properties are judged beside the checker's own. They have passed
	// [checker.Validate].
	Properties []checker.Property
}

// Scenario returns the scenario with the given id.
func (r Registry) Scenario(id string) (*Scenario, error) {
	var ids []string
	for _, s := range r.Scenarios {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	return nil, errors.New(wording.Unknown("scenario", id, ids))
}

// Lock returns the lock with the given id. The error is an [UnknownError].
func (r Registry) Lock(id string) (Lock, error) {
	var ids []string
	for _, l := range r.Locks {
		if l.ID == id {
			return l, nil
		}
		ids = append(ids, l.ID)
	}
	return Lock{}, &UnknownError{What: "lock", ID: id, Known: ids}
}

// Cell returns the cell of a scenario and a lock. It sets the parameters over the scenario's
// defaults and the lock's minimums.
func (r Registry) Cell(scenario, lock string, params []traces.Parameter) (Cell, error) {
	c, err := r.usual(scenario, lock)
	if err != nil {
		return c, err
	}
	return c, c.set(params)
}

// Restore is [Registry.Cell] for a list of parameters from [stage.Settings.List].
// Parameters that are not in the list are 0.
func (r Registry) Restore(scenario, lock string, params []traces.Parameter) (Cell, error) {
	c, err := r.usual(scenario, lock)
	if err != nil {
		return c, err
	}
	c.settings().ClearUnlisted(&c.Params)
	return c, c.set(params)
}

// usual returns the cell with the scenario's defaults and the lock's minimums.
func (r Registry) usual(scenario, lock string) (c Cell, err error) {
	if c.Scenario, err = r.Scenario(scenario); err != nil {
		return c, err
	}
	if c.Lock, err = r.Lock(lock); err != nil {
		return c, err
	}
	if c.Lock.Store == nil {
		return c, fmt.Errorf("lock %s: %w", lock, NoStore())
	}
	c.faults = r.Faults(c.Lock.Store)
	c.Params, c.Added = c.Lock.AtLeast(c.Scenario.Params), slices.Concat(r.Properties, c.Lock.Subject.rules())
	return c, nil
}

// Of returns the cell of a trace, to run it again.
func (r Registry) Of(t *traces.Trace) (Cell, error) {
	if err := t.MayRun(); err != nil {
		return Cell{}, err
	}
	return r.Restore(t.Scenario, t.Lock, t.Parameters)
}

// Decode decodes a cell that [Cell.Encode] has encoded.
func (r Registry) Decode(raw json.RawMessage) (Cell, error) {
	var w wireCell
	if err := json.Unmarshal(raw, &w); err != nil {
		return Cell{}, fmt.Errorf("the cell cannot be read: %w", err)
	}
	c, err := r.Restore(w.Scenario, w.Lock, w.Parameters)
	c.twin = w.Twin
	return c, err
}

// Resolve decodes a cell and returns its runner. It is for [explore.Serve].
func (r Registry) Resolve(raw json.RawMessage) (explore.Runner, error) {
	c, err := r.Decode(raw)
	if err != nil {
		return nil, err
	}
	return c.Run, nil
}

// Settings returns the named parameters of runs on a store. They include the budgets of faults
// that only scenarios of the registry have.
func (r Registry) Settings(s stage.Store) stage.Settings {
	return stage.SettingsOf(s, faults.All, r.Faults(s)...)
}

// Faults returns the faults in the scenarios' budgets that are neither common to all stores nor
// the store's own, by name. A parameter sets the budget of such a fault in any scenario.
func (r Registry) Faults(s stage.Store) (list []*stage.Fault) {
	known := slices.Concat(faults.All, s.Faults())
	for _, one := range r.Scenarios {
		for _, a := range one.Params.Faults {
			if !slices.Contains(known, a.Fault) {
				known, list = append(known, a.Fault), append(list, a.Fault)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *stage.Fault) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
