package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// wireCell is how a cell travels to a worker.
type wireCell struct {
	Scenario   string             `json:"scenario"`
	Lock       string             `json:"lock"`
	Parameters []traces.Parameter `json:"parameters"`
}

func encodeCell(c scenarios.Cell) (json.RawMessage, error) {
	return json.Marshal(wireCell{Scenario: c.Scenario.ID, Lock: c.Lock.ID, Parameters: c.Params.List()})
}

// cell finds the scenario and the lock and sets the parameters, each given as
// name=value.
func (a *app) cell(scenario, lock string, settings []string) (c scenarios.Cell, err error) {
	if c.Scenario, err = scenarios.Find(scenario); err != nil {
		return c, usageError{err}
	}
	if c.Lock, err = scenarios.FindLock(a.locks, lock); err != nil {
		return c, usageError{err}
	}
	var list []traces.Parameter
	for _, s := range settings {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return c, usageError{fmt.Errorf("--param %q: want name=value, such as clients=3", s)}
		}
		list = append(list, traces.Parameter{Name: name, Value: value})
	}
	c.Params = c.Scenario.Params
	if err := c.Params.SetAll(list); err != nil {
		return c, usageError{err}
	}
	return c, nil
}

// workerCmd is the worker process: see explore.Serve.
type workerCmd struct{}

// Run serves one request.
func (workerCmd) Run(a *app) error {
	return explore.Serve(a.in, a.out, func(raw json.RawMessage) (explore.Runner, error) {
		var w wireCell
		if err := json.Unmarshal(raw, &w); err != nil {
			return nil, fmt.Errorf("the cell cannot be read: %w", err)
		}
		c, err := scenarios.CellOf(&traces.Trace{Scenario: w.Scenario, Lock: w.Lock, Parameters: w.Parameters}, a.locks)
		if err != nil {
			return nil, err
		}
		return c.Run, nil
	})
}
