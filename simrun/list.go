package simrun

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/traces"
)

// listCmd lists scenarios, locks and properties.
type listCmd struct {
	JSON bool `name:"json" help:"Print one JSON object per line."`
}

// Run lists scenarios, locks and properties.
func (c listCmd) Run(a *app) error {
	if c.JSON {
		return c.json(a)
	}
	p, stores := painter(a.out), scenarios.Stores(a.locks)
	settings := scenarios.Settings(stores[0])
	fmt.Fprintln(a.out, p.bold("scenarios"))
	for _, s := range scenarios.All() {
		fmt.Fprintf(a.out, "  %-18s %s\n", s.ID, stores[0].Terms().Fill(s.Summary))
		fmt.Fprintf(a.out, "  %-18s %s\n", "", p.faint(parameters(settings.List(s.Params))))
	}
	for _, s := range stores {
		fmt.Fprintf(a.out, "\n%s of locks in %s, set by --param NAME=VALUE\n", p.bold("parameters"), s.Terms().Store)
		for _, d := range scenarios.Settings(s).Describe() {
			fmt.Fprintf(a.out, "  %-18s %s\n", d.Name, d.Value)
		}
	}
	fmt.Fprintln(a.out, "\n"+p.bold("locks"))
	width := 18
	for _, l := range a.locks {
		width = max(width, len(l.ID))
	}
	for _, l := range a.locks {
		fmt.Fprintf(a.out, "  %-*s %s\n", width, l.ID, l.Summary)
	}
	fmt.Fprintln(a.out, "\n"+p.bold("properties"))
	for _, id := range checker.IDs() {
		fmt.Fprintf(a.out, "  %-18s %s\n", id, checker.Describe(id))
	}
	fmt.Fprintln(a.out, "\nSearch with: simrun run SCENARIO --lock LOCK")
	return nil
}

func parameters(list []traces.Parameter) string {
	var words []string
	for _, p := range list {
		words = append(words, p.Name+"="+p.Value)
	}
	return strings.Join(words, " ")
}

type listed struct {
	Type       string             `json:"type"`
	ID         string             `json:"id"`
	Summary    string             `json:"summary"`
	Parameters []traces.Parameter `json:"parameters,omitempty"`
	Happenings []string           `json:"happenings,omitempty"`
}

func (listCmd) json(a *app) error {
	out := json.NewEncoder(a.out)
	store := scenarios.Stores(a.locks)[0]
	settings, terms := scenarios.Settings(store), store.Terms()
	var all []listed
	for _, s := range scenarios.All() {
		l := listed{Type: "scenario", ID: s.ID, Summary: terms.Fill(s.Summary), Parameters: settings.List(s.Params)}
		for _, h := range s.Happenings {
			l.Happenings = append(l.Happenings, terms.Fill(h.Name))
		}
		all = append(all, l)
	}
	for _, l := range a.locks {
		all = append(all, listed{Type: "lock", ID: l.ID, Summary: l.Summary})
	}
	for _, id := range checker.IDs() {
		all = append(all, listed{Type: "property", ID: id, Summary: checker.Describe(id)})
	}
	for _, l := range all {
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// versionCmd prints versions.
type versionCmd struct{}

// Run prints the versions that byte-identical replays depend on.
func (versionCmd) Run(a *app) error {
	fmt.Fprintf(a.out, "%s, trace schema %d\n", a.versions(), traces.Schema)
	return nil
}
