package simrun

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/traces"
)

// listCmd lists scenarios, locks and properties.
type listCmd struct {
	Verbose bool   `short:"v" help:"Describe each lock, property and parameter, and show the scenarios' settings."`
	Store   string `help:"List only what applies to this store." placeholder:"STORE"`
	JSON    bool   `name:"json" help:"Print everything as one JSON object per line."`
}

// listing is the list to print.
type listing struct {
	*app
	paint  wording.Paint
	width  int
	stores []stage.Store
	locks  []cell.Lock
	all    bool // whether the stores are all of the program's
}

// Run lists scenarios, locks and properties.
func (c listCmd) Run(a *app) error {
	l := &listing{app: a, paint: painter(a.out), width: widthOf(a.out), stores: cell.Stores(a.locks), locks: a.locks, all: true}
	if c.Store != "" {
		ids := storeIDs(l.stores)
		i := slices.Index(ids, c.Store)
		if i < 0 {
			return usageError{&cell.UnknownError{What: "store", ID: c.Store, Known: ids}}
		}
		l.stores, l.all = l.stores[i:i+1], false
		l.locks = l.locksOf(l.stores[0])
	}
	if c.JSON {
		return l.json()
	}
	l.scenarios(c.Verbose)
	if c.Verbose {
		l.whole()
	} else {
		l.compact()
	}
	fmt.Fprintln(a.out, "Search with: simrun run SCENARIO --lock LOCK -p PARAMETER=VALUE")
	return nil
}

// locksOf returns the locks over a store.
func (l *listing) locksOf(store stage.Store) (list []cell.Lock) {
	for _, k := range l.app.locks {
		if k.Store.ID() == store.ID() {
			list = append(list, k)
		}
	}
	return list
}

// scope is a store that a scenario applies to, for at least one of its locks.
type scope struct {
	store stage.Store
	// topologies are those that it needs there; none if it applies to the usual deployment.
	topologies []string
}

// where returns the store's id, with the topologies.
func (s *scope) where() string {
	if len(s.topologies) == 0 {
		return s.store.ID()
	}
	return s.store.ID() + " with " + stage.Topology + "=" + wording.Or(s.topologies)
}

// applies returns the stores that the scenario applies to.
func (l *listing) applies(s *cell.Scenario) (list []scope) {
	for _, store := range l.stores {
		if l.appliesTo(s, store, "") {
			list = append(list, scope{store: store})
			continue
		}
		var deployed []string
		for _, d := range store.Shape() {
			if d.Name != stage.Topology {
				continue
			}
			for _, t := range d.Names[1:] {
				if l.appliesTo(s, store, t) {
					deployed = append(deployed, t)
				}
			}
		}
		if len(deployed) > 0 {
			list = append(list, scope{store, deployed})
		}
	}
	return list
}

// appliesTo reports whether a scenario applies to a lock of the store, with a topology if it is not empty.
func (l *listing) appliesTo(s *cell.Scenario, store stage.Store, topology string) bool {
	return slices.ContainsFunc(l.locksOf(store), func(k cell.Lock) bool {
		c, err := l.app.registry().Cell(s.ID, k.ID, nil)
		if err == nil && topology != "" {
			err = c.Deploy(topology)
		}
		return err == nil && c.Lacks() == ""
	})
}

func storeIDs(list []stage.Store) (ids []string) {
	for _, s := range list {
		ids = append(ids, s.ID())
	}
	return ids
}

// scenarios lists the scenarios that apply, the stores they apply to if these are not all, and the combinations of faults
// that only they have.
func (l *listing) scenarios(verbose bool) {
	fmt.Fprintln(l.out, l.paint.Bold("scenarios"))
	for _, s := range l.app.registry().Scenarios {
		scopes := l.applies(s)
		if len(scopes) == 0 {
			continue
		}
		text := scopes[0].store.Terms().Fill(s.Summary)
		var where []string
		for i := range scopes {
			where = append(where, scopes[i].where())
		}
		if !slices.Equal(where, storeIDs(l.stores)) {
			text += " (" + strings.Join(where, ", ") + ")"
		}
		l.entry(18, s.ID, text)
		if verbose {
			l.entry(18, "", parameters(l.app.registry().Settings(scopes[0].store).List(s.Params)))
		}
		if alone := l.app.registry().Alone(s); alone != "" {
			l.entry(18, "", alone)
		}
	}
	fmt.Fprintln(l.out)
}

// compact lists the names of everything else.
func (l *listing) compact() {
	for _, noun := range []string{"lock", "program"} {
		l.named(noun)
	}
	fmt.Fprintln(l.out, l.paint.Bold("properties"))
	var ids []string
	for _, p := range l.judged() {
		ids = append(ids, p.ID)
	}
	l.entry(0, "", strings.Join(ids, ", "))
	fmt.Fprintln(l.out, "\n"+l.paint.Bold("parameters"))
	l.parameters()
	more := "-v says what each is"
	if l.all {
		more += "; --store STORE lists what applies to one"
	}
	fmt.Fprintf(l.out, "\n%s\n", more)
}

// named lists the names of the locks, or those of the programs, by their stores.
func (l *listing) named(noun string) {
	title := l.paint.Bold(noun + "s")
	for _, s := range l.stores {
		var ids []string
		for _, k := range l.locks {
			if k.Store.ID() == s.ID() && k.Noun() == noun {
				ids = append(ids, k.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		if title != "" {
			fmt.Fprintln(l.out, title)
			title = ""
		}
		l.entry(18, s.ID(), strings.Join(ids, ", "))
	}
	if title == "" {
		fmt.Fprintln(l.out)
	}
}

// judged returns all properties: the checker's own, and those of the program.
func (a *app) judged() []checker.Property { return append(checker.Properties(), a.properties...) }

// parameters lists the parameters of all stores, and then the additional ones of each.
func (l *listing) parameters() {
	count := map[string]int{}
	for _, s := range l.stores {
		for _, d := range l.app.registry().Settings(s).Describe() {
			count[d.Name]++
		}
	}
	names := func(s stage.Store, everywhere bool) (list []string) {
		for _, d := range l.app.registry().Settings(s).Describe() {
			if (count[d.Name] == len(l.stores)) == everywhere {
				list = append(list, d.Name)
			}
		}
		return list
	}
	l.entry(0, "", strings.Join(names(l.stores[0], true), ", "))
	for _, s := range l.stores {
		if own := names(s, false); len(own) > 0 {
			l.entry(18, s.ID(), strings.Join(own, ", "))
		}
	}
}

// whole lists everything else with descriptions.
func (l *listing) whole() {
	for _, s := range l.stores {
		fmt.Fprintf(l.out, "%s of locks in %s, set by --param NAME=VALUE\n", l.paint.Bold("parameters"), s.Terms().Store)
		for _, d := range l.app.registry().Settings(s).Describe() {
			l.entry(18, d.Name, d.Value)
		}
		fmt.Fprintln(l.out)
	}
	width := 18
	for _, k := range l.locks {
		width = max(width, len(k.ID))
	}
	for _, noun := range []string{"lock", "program"} {
		title := l.paint.Bold(noun + "s")
		for _, k := range l.locks {
			if k.Noun() != noun {
				continue
			}
			if title != "" {
				fmt.Fprintln(l.out, title)
				title = ""
			}
			l.entry(width, k.ID, k.Summary)
		}
		if title == "" {
			fmt.Fprintln(l.out)
		}
	}
	fmt.Fprintln(l.out, l.paint.Bold("properties"))
	for _, p := range l.judged() {
		l.entry(18, p.ID, p.About)
	}
	fmt.Fprintln(l.out)
}

// entry writes a name and its description, in lines beside it.
func (l *listing) entry(width int, name, text string) {
	indent := 3 + width
	if width == 0 {
		indent = 2
	}
	for _, line := range wording.Wrap(text, max(l.width-indent, 20)) {
		fmt.Fprintf(l.out, "%-*s%s\n", indent, "  "+name, line)
		name = ""
	}
}

func parameters(list []traces.Parameter) string {
	var words []string
	for _, p := range list {
		words = append(words, p.Name+"="+p.Value)
	}
	return strings.Join(words, " ")
}

type listed struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Summary string `json:"summary"`
	// Store is that of a lock, and Stores are those that a scenario applies to. Topologies are the values of the parameter
	// topology that it needs for some of these.
	Store      string             `json:"store,omitempty"`
	Stores     []string           `json:"stores,omitempty"`
	Topologies []string           `json:"topologies,omitempty"`
	Parameters []traces.Parameter `json:"parameters,omitempty"`
	Happenings []string           `json:"happenings,omitempty"`
	// Alone is the combination of faults that no other scenario has.
	Alone string `json:"alone,omitempty"`
}

func (l *listing) json() error {
	out := json.NewEncoder(l.out)
	var all []listed
	for _, s := range l.app.registry().Scenarios {
		scopes := l.applies(s)
		if len(scopes) == 0 {
			continue
		}
		store := scopes[0].store
		terms := store.Terms()
		one := listed{
			Type: "scenario", ID: s.ID, Summary: terms.Fill(s.Summary),
			Parameters: l.app.registry().Settings(store).List(s.Params), Alone: l.app.registry().Alone(s),
		}
		for _, at := range scopes {
			one.Stores, one.Topologies = append(one.Stores, at.store.ID()), append(one.Topologies, at.topologies...)
		}
		for _, h := range s.Happenings {
			one.Happenings = append(one.Happenings, terms.Fill(h.Name))
		}
		all = append(all, one)
	}
	for _, k := range l.locks {
		all = append(all, listed{Type: k.Noun(), ID: k.ID, Summary: k.Summary, Store: k.Store.ID()})
	}
	for _, p := range l.judged() {
		all = append(all, listed{Type: "property", ID: p.ID, Summary: p.About})
	}
	for _, one := range all {
		if err := out.Encode(one); err != nil {
			return err
		}
	}
	return nil
}
