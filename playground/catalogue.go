package playground

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// Catalogue lists the choices of the page.
type Catalogue struct {
	Version   string     `json:"version"`
	Stores    []Store    `json:"stores"`
	Locks     []Lock     `json:"locks"`
	Scenarios []Scenario `json:"scenarios"`
	// Properties are the properties that can be judged, with their texts, by their ids.
	Properties map[string]string `json:"properties"`
	// Known are hashes of runs on the machine that has built the playground.
	Known []Known `json:"known"`
	// Programs are the sizes of the programs, by the names of their files: lockpick, which searches, and drawing.
	Programs map[string]Size `json:"programs"`
}

// Size is the size of a program in bytes, uncompressed and compressed.
type Size struct {
	Size   int64 `json:"size"`
	Packed int64 `json:"packed"`
}

// Store is a store, with the parameters of its runs.
type Store struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Parameters []stage.Range `json:"parameters"`
}

// Lock is a lock.
type Lock struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
	Store   string `json:"store"`
	Flawed  bool   `json:"flawed,omitempty"`
}

// Scenario is a scenario, with the locks that it applies to.
type Scenario struct {
	ID string `json:"id"`
	// Summaries are by stores.
	Summaries map[string]string `json:"summaries"`
	// Cells have the parameters of a run, by locks.
	Cells map[string]Parameters `json:"cells"`
}

// Parameters are the parameters of a lock in a scenario, each list as "name=value name=value".
type Parameters struct {
	// Values are all parameters.
	Values string `json:"values"`
	// Set are the parameters without which the scenario does not apply; usually none.
	Set string `json:"set,omitempty"`
}

// Known is a search with the hashes of its first runs.
type Known struct {
	Search
	Hashes []string `json:"hashes"`
}

// NewCatalogue lists the scenarios and locks of the registry.
func NewCatalogue(known cell.Registry) *Catalogue {
	c := &Catalogue{Version: cell.Version, Properties: map[string]string{}}
	for _, s := range cell.Stores(known.Locks) {
		c.Stores = append(c.Stores, Store{s.ID(), s.Terms().Store, known.Settings(s).Ranges()})
	}
	for _, l := range known.Locks {
		c.Locks = append(c.Locks, Lock{l.ID, l.Summary, l.Store.ID(), l.Flawed})
	}
	for _, p := range checker.Properties() {
		c.Properties[p.ID] = p.About
	}
	for _, s := range known.Scenarios {
		one := Scenario{ID: s.ID, Summaries: map[string]string{}, Cells: map[string]Parameters{}}
		for _, l := range known.Locks {
			if p, applies := parametersOf(known, s.ID, l); applies {
				one.Cells[l.ID] = p
				one.Summaries[l.Store.ID()] = l.Store.Terms().Fill(s.Summary)
			}
		}
		if len(one.Cells) > 0 {
			c.Scenarios = append(c.Scenarios, one)
		}
	}
	return c
}

// parametersOf returns the parameters of the lock in the scenario, if that applies to it: with the usual deployment of
// servers, or else with the first other one for which it applies.
func parametersOf(known cell.Registry, scenario string, l cell.Lock) (p Parameters, applies bool) {
	topologies := []string{""}
	for _, d := range l.Store.Shape() {
		if d.Name == stage.Topology {
			topologies = append(topologies, d.Names[1:]...)
		}
	}
	for _, t := range topologies {
		c, err := known.Cell(scenario, l.ID, nil)
		if err == nil && t != "" {
			err = c.Deploy(t)
		}
		if err == nil && c.Lacks() == "" {
			return Parameters{Values: listed(c.Parameters()), Set: listed(c.Settings())}, true
		}
	}
	return p, false
}

// listed returns a list of parameters as text.
func listed(list []traces.Parameter) string {
	var words []string
	for _, p := range list {
		words = append(words, p.Name+"="+p.Value)
	}
	return strings.Join(words, " ")
}

// AddKnown adds the hashes of the first runs of searches, as the session's worker makes them.
func (c *Catalogue) AddKnown(ctx context.Context, s *Session, searches []Search) error {
	for _, q := range searches {
		if !slices.ContainsFunc(c.Locks, func(l Lock) bool { return l.ID == q.Lock }) {
			return fmt.Errorf("the search of %s for comparison: there is no such lock", q.Lock)
		}
		hashes, err := s.Hashes(ctx, q)
		if err != nil {
			return fmt.Errorf("the search of %s in %s for comparison: %w", q.Lock, q.Scenario, err)
		}
		c.Known = append(c.Known, Known{q, hashes})
	}
	return nil
}
