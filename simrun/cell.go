package simrun

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// cell finds the scenario and the lock and sets the parameters, each given as
// name=value.
func (a *app) cell(scenario, lock string, settings []string) (c cell.Cell, err error) {
	var list []traces.Parameter
	for _, s := range settings {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return c, usageError{fmt.Errorf("--param %q: want name=value, such as clients=3", s)}
		}
		list = append(list, traces.Parameter{Name: name, Value: value})
	}
	if c, err = a.registry().Cell(scenario, lock, list); err != nil {
		return c, usageError{err}
	}
	if lacks := c.Lacks(); lacks != "" {
		return c, usageError{fmt.Errorf("the scenario %s does not apply to %s: %s; %s", scenario, lock, lacks, a.appliesTo(scenario))}
	}
	return c, nil
}

// appliesTo describes the locks to which a scenario applies.
func (a *app) appliesTo(scenario string) string {
	var locks []string
	for _, l := range a.locks {
		if c, err := a.registry().Cell(scenario, l.ID, nil); err == nil && c.Lacks() == "" {
			locks = append(locks, l.ID)
		}
	}
	if len(locks) > 0 {
		return "it applies to " + wording.Some(locks)
	}
	var where []string
	if s, err := a.registry().Scenario(scenario); err == nil {
		all := &listing{app: a, stores: cell.Stores(a.locks)}
		for _, at := range all.applies(s) {
			where = append(where, at.where())
		}
	}
	if len(where) == 0 {
		return "it applies to no lock of this program"
	}
	return "it applies to locks over " + wording.Or(where) + ", which -p sets"
}

// registry returns the scenarios, locks and properties of the program.
func (a *app) registry() cell.Registry {
	r := scenarios.Registry(a.locks, a.scenarios...)
	r.Properties = a.properties
	return r
}

// versions returns the versions of this binary and of its stores' client libraries.
func (a *app) versions() traces.Versions { return cell.Versions(cell.Stores(a.locks)...) }

// workerCmd is the worker process: see explore.Serve.
type workerCmd struct{}

// Run serves one request, on standard input and output.
func (workerCmd) Run(a *app) error {
	cells := a.registry().Resolve
	return explore.ServeStdio(func(raw json.RawMessage) (explore.Runner, error) {
		for _, added := range a.commands {
			if added.Runner != nil {
				if r, err := added.Runner(raw, a.locks); r != nil || err != nil {
					return r, err
				}
			}
		}
		return cells(raw)
	})
}
