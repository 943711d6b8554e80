package simrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// The kinds of searches, by the commands that start them.
const (
	runKind   = "run"
	checkKind = "check"
)

// identity is everything that the results of a search depend on. Jobs, the directory of
// traces and the shard do not belong to it.
type identity struct {
	Kind       string             `json:"kind"`
	Scenario   string             `json:"scenario"`
	Lock       string             `json:"lock"`
	Parameters []traces.Parameter `json:"parameters"`
	// Of a run.
	Strategy string `json:"strategy,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`
	Runs     int    `json:"runs,omitempty"`
	// Of a check.
	Bound int  `json:"bound,omitempty"`
	Limit int  `json:"limit,omitempty"`
	Plain bool `json:"plain,omitempty"`

	FailFast bool            `json:"failfast,omitempty"`
	Versions traces.Versions `json:"versions"`
}

// readIdentity reads the identity from a state.
func readIdentity(s *explore.State) (id identity, err error) {
	if text := testIdentity(s); text != "" {
		return id, errors.New(text)
	}
	if err := json.Unmarshal(s.Identity, &id); err != nil || id.Kind != runKind && id.Kind != checkKind {
		return id, fmt.Errorf("it does not name its search")
	}
	return id, nil
}

// testIdentity describes, for the state of a test's shard, how it is merged; it returns "" for other states.
func testIdentity(s *explore.State) string {
	var id struct {
		Kind string      `json:"kind"`
		Test traces.Test `json:"test"`
	}
	if err := json.Unmarshal(s.Identity, &id); err != nil || id.Kind != hunt.TestKind {
		return ""
	}
	c := gotest.Command{Pattern: gotest.Pattern(id.Test.Name), Package: id.Test.Package, Flags: []string{"-simrun.merge=DIR"}}
	return fmt.Sprintf("it is of a shard of %s, which has the lock: merge the shards by that test: %s, with the directory of all shards for DIR", id.Test.Name, c)
}

func (id *identity) encode() json.RawMessage {
	raw, err := json.Marshal(id)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return raw
}

// settings returns the parts of an identity, in the user's terms.
func (id *identity) settings() (list []shards.Setting) {
	add := func(name string, value any) {
		list = append(list, shards.Setting{Name: name, Value: fmt.Sprint(value)})
	}
	add("the command", id.Kind)
	add("the scenario", id.Scenario)
	add("--lock", id.Lock)
	for _, p := range id.Parameters {
		add("the parameter "+p.Name, p.Value)
	}
	if id.Kind == runKind {
		add("--strategy", id.Strategy)
		add("--seed", id.Seed)
		add("--runs", id.Runs)
	} else {
		add("--bound", id.Bound)
		add("--limit", id.Limit)
		add("--plain", id.Plain)
	}
	add("--failfast", id.FailFast)
	add("the version", id.Versions)
	return list
}

// difference describes how two searches differ, "" if they are the same.
func (id *identity) difference(other *identity, here, there string) string {
	parts := shards.Differences(id.settings(), other.settings(), here, there)
	if id.Kind != other.Kind {
		parts = parts[:1] // the rest cannot be compared
	}
	return strings.Join(parts, ", ")
}

// words returns the words of the command that starts the search.
func (id *identity) words(a *app, cell cell.Cell) []string {
	words := []string{a.name, id.Kind, wording.Shell(id.Scenario), "--" + cell.Noun(), wording.Shell(id.Lock)}
	if id.Kind == runKind {
		words = append(words, "--strategy", id.Strategy, "--seed", fmt.Sprint(id.Seed), "--runs", fmt.Sprint(id.Runs))
	} else {
		words = append(words, "--bound", fmt.Sprint(id.Bound))
		if id.Limit != hunt.DefaultLimit {
			words = append(words, "--limit", fmt.Sprint(id.Limit))
		}
		if id.Plain {
			words = append(words, "--plain")
		}
	}
	for _, p := range cell.Settings() {
		words = append(words, "--param", wording.Shell(p.Name+"="+p.Value))
	}
	if id.FailFast {
		words = append(words, "--failfast")
	}
	return words
}
