package locktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// stateEnd returns the end of the names of the files in which shards keep their results.
func (x *session) stateEnd() string {
	if x.bound != nil {
		return shards.CheckEnd
	}
	return shards.SearchEnd
}

// identity is everything that the search of a scenario depends on, except the code of the lock. Shards of one search have
// the same.
type identity struct {
	Kind       string             `json:"kind"` // hunt.TestKind
	Test       traces.Test        `json:"test"`
	Scenario   string             `json:"scenario"`
	Parameters []traces.Parameter `json:"parameters"`
	// Judged are the ids of the judged properties, empty for all.
	Judged   []string        `json:"judged,omitempty"`
	Search   hunt.Search     `json:"search"`
	Versions traces.Versions `json:"versions"`
	// Binary is a hash of the test binary: a shard resumes its kept results only with the same one. It is empty where shards
	// are compared, since machines may build different bytes from the same code.
	Binary string `json:"binary,omitempty"`
}

// identity returns the identity of the search of a scenario.
func (x *session) identity(s *cell.Scenario, c cell.Cell) identity {
	id := identity{
		Kind: hunt.TestKind, Test: x.call, Scenario: s.ID, Parameters: c.Parameters(), Search: x.search(s.ID),
		Judged: slices.Clone(x.properties), Versions: cell.Versions(x.lock.Store),
	}
	for i := range x.judged {
		id.Judged = append(id.Judged, x.judged[i].ID)
	}
	return id
}

func (id *identity) encode() json.RawMessage {
	raw, err := json.Marshal(id)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return raw
}

// readIdentity reads the identity from a shard's state.
func readIdentity(s *explore.State) (id identity, err error) {
	if err := json.Unmarshal(s.Identity, &id); err != nil || id.Kind != hunt.TestKind {
		return id, errors.New("it is not of a test")
	}
	id.Binary = ""
	return id, nil
}

// difference describes how two searches differ, in the words of options and flags; "" if they are the same.
func (id *identity) difference(other *identity, there, here string) string {
	return strings.Join(shards.Differences(id.settings(), other.settings(), there, here), ", ")
}

// settings returns everything that a search depends on, by the names that users know.
func (id *identity) settings() (list []shards.Setting) {
	add := func(name string, value any) {
		list = append(list, shards.Setting{Name: name, Value: fmt.Sprint(value)})
	}
	add("the version", id.Versions.String())
	add("the test", fmt.Sprintf("%s (call %d) in %s", id.Test.Name, id.Test.Call, id.Test.Package))
	add("the scenario", id.Scenario)
	for _, p := range id.Parameters {
		add("the parameter "+p.Name, p.Value)
	}
	judged := "all properties"
	if len(id.Judged) > 0 {
		judged = strings.Join(id.Judged, " and ")
	}
	add("what is judged", judged)
	if id.Search.Strategy == "" {
		add("Bound", id.Search.Bound)
		add("Runs", id.Search.Limit)
		return list
	}
	add("the seed (-simrun.seed)", id.Search.Seed)
	add("the number of schedules (-simrun.runs)", id.Search.Schedules)
	return list
}
