package simrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/gotest"
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

// testIdentity says of a state that a shard of a test has kept how it is merged, empty of others.
func testIdentity(s *explore.State) string {
	var id struct {
		Kind string      `json:"kind"`
		Test traces.Test `json:"test"`
	}
	if err := json.Unmarshal(s.Identity, &id); err != nil || id.Kind != hunt.TestKind {
		return ""
	}
	c := gotest.Command{Pattern: gotest.Pattern(id.Test.Name), Package: id.Test.Package, Flags: []string{"-simrun.merge=DIR"}}
	return fmt.Sprintf("a shard of %s, which has the lock, has kept it: the test merges its shards, by %s, with the directory of all shards for DIR", id.Test.Name, c)
}

func (id *identity) encode() json.RawMessage {
	raw, err := json.Marshal(id)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return raw
}

// setting is a part of an identity, in the user's terms.
type setting struct{ name, value string }

func (id *identity) settings() []setting {
	list := []setting{{"the command", id.Kind}, {"the scenario", id.Scenario}, {"--lock", id.Lock}}
	for _, p := range id.Parameters {
		list = append(list, setting{"the parameter " + p.Name, p.Value})
	}
	if id.Kind == runKind {
		list = append(list, setting{"--strategy", id.Strategy}, setting{"--seed", fmt.Sprint(id.Seed)}, setting{"--runs", fmt.Sprint(id.Runs)})
	} else {
		list = append(list, setting{"--bound", fmt.Sprint(id.Bound)}, setting{"--limit", fmt.Sprint(id.Limit)}, setting{"--plain", fmt.Sprint(id.Plain)})
	}
	return append(list, setting{"--failfast", fmt.Sprint(id.FailFast)}, setting{"the version", id.Versions.String()})
}

// difference says how two searches differ, empty if they are the same.
func (id *identity) difference(other *identity, here, there string) string {
	one, two := id.settings(), other.settings()
	var parts []string
	for _, s := range one {
		value := "unset"
		if i := slices.IndexFunc(two, func(o setting) bool { return o.name == s.name }); i >= 0 {
			value = two[i].value
		}
		if value != s.value {
			parts = append(parts, fmt.Sprintf("%s is %s %s and %s %s", s.name, s.value, here, value, there))
		}
	}
	for _, s := range two {
		if !slices.ContainsFunc(one, func(o setting) bool { return o.name == s.name }) {
			parts = append(parts, fmt.Sprintf("%s is unset %s and %s %s", s.name, here, s.value, there))
		}
	}
	if id.Kind != other.Kind {
		parts = parts[:1] // the rest cannot be compared
	}
	return strings.Join(parts, ", ")
}

// words are the words of the command that starts the search.
func (id *identity) words(a *app, cell cell.Cell) []string {
	words := []string{a.name, id.Kind, id.Scenario, "--" + cell.Noun(), id.Lock}
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
