package sitepages

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
)

// scenario are the params of a scenario's page.
type scenario struct {
	Source   string   `json:"source"`
	Stores   []string `json:"stores"`
	Topology string   `json:"topology,omitempty"`
	Clients  int      `json:"clients"`
	Rounds   int      `json:"rounds"`
	TTL      string   `json:"ttl"`
	Strikes  []strike `json:"strikes"`
	Happened []string `json:"happened"`
	Story    *story   `json:"story"`
	// Groups are the locks by their standings.
	Groups []standingGroup `json:"groups"`
	// Always are the locks that already fail in the calm scenario.
	Always []string `json:"always,omitempty"`
	// Nowhere are locks to which it does not apply.
	Nowhere []string `json:"nowhere,omitempty"`
}

// strike is a fault that may strike.
type strike struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
	About string `json:"about"`
}

// standingGroup has the locks of one standing in a scenario.
type standingGroup struct {
	Standing standing   `json:"standing"`
	Title    string     `json:"title"`
	Locks    []survivor `json:"locks"`
}

// survivor is a lock in a scenario.
type survivor struct {
	Lock   string  `json:"lock"`
	Store  string  `json:"store"`
	Flawed bool    `json:"flawed,omitempty"`
	Must   []shown `json:"must,omitempty"`
	May    []shown `json:"may,omitempty"`
	Why    string  `json:"why"`
	// Settings are the parameters of the search.
	Settings string `json:"settings,omitempty"`
}

// groupTitles are the headings of locks in a scenario, in the order of a page.
var groupTitles = []struct {
	standing
	title string
}{
	{silent, "Survive: nothing is found"},
	{mayLimit, "Survive, but for a limit of leases that may be found"},
	{limit, "A limit of leases: no lease prevents it"},
	{mayFault, "A fault of the lock may be found"},
	{undecided, "Runs do not finish"},
	{fault, "A fault of the lock is found"},
}

// scenarios writes a page for each scenario.
func (s *site) scenarios() error {
	p, err := s.parse("scenarios")
	if err != nil {
		return err
	}
	comments := scenarioComments(p)
	if err := p.document(); err != nil {
		return err
	}
	if err := s.tellStories(); err != nil {
		return err
	}
	for i, c := range s.columns {
		text, there := comments[c.ID]
		if !there {
			return fmt.Errorf("scenario %s: the variable that it is has no comment", c.ID)
		}
		one := s.scenario(i)
		f := front{Title: c.ID, Description: sentence(s.summary(i)), Weight: i + 1, Params: one}
		if err := s.page("scenarios/"+c.ID+".md", f, s.linked(s.markdown(p, text, 3))); err != nil {
			return err
		}
	}
	return s.page("scenarios/_index.md", front{
		Title:       "Scenarios",
		Description: "A scenario fixes topology, workload and fault budget; the search picks the interleaving. Each page has what happens in production, the shortest counterexample to step through, and which locks survive.",
	}, "")
}

// summary returns the summary of a scenario in the words of the first store that it applies to.
func (s *site) summary(column int) string {
	for _, r := range s.rows {
		if c := r.cells[column]; c != nil {
			return c.Cell.Summary()
		}
	}
	return s.columns[column].Summary
}

// scenario returns the data of a column's page.
func (s *site) scenario(column int) scenario {
	c := s.columns[column]
	one := scenario{Source: "scenarios/scenarios.go", Topology: c.topology, Clients: c.Params.Clients, Rounds: c.Params.Rounds, TTL: c.Params.TTL.String(), Story: s.stories[c.ID]}
	groups := map[standing][]survivor{}
	stores := map[string]bool{}
	for _, r := range s.rows {
		cell := r.cells[column]
		if cell == nil {
			one.Nowhere = append(one.Nowhere, r.lock.ID)
			continue
		}
		store := r.lock.Store
		if !stores[store.ID()] {
			stores[store.ID()] = true
			one.Stores = append(one.Stores, store.ID())
		}
		if len(one.Happened) == 0 {
			for _, h := range cell.Happenings() {
				one.Happened = append(one.Happened, sentence(h.Name))
			}
			for _, f := range faults.All {
				if n := c.Params.Faults.Of(f); n > 0 {
					one.Strikes = append(one.Strikes, strike{f.Name, n, sentence(store.Terms().Fill(f.About))})
				}
			}
		}
		if c.ID != scenarios.Calm().ID && s.failsCalm(&r) {
			one.Always = append(one.Always, r.lock.ID)
			continue
		}
		st := standingOf(cell)
		groups[st] = append(groups[st], newSurvivor(&r, cell))
	}
	for _, g := range groupTitles {
		if len(groups[g.standing]) > 0 {
			one.Groups = append(one.Groups, standingGroup{g.standing, g.title, groups[g.standing]})
		}
	}
	return one
}

// failsCalm reports whether a lock fails without faults and delays.
func (s *site) failsCalm(r *row) bool {
	for i, c := range s.columns {
		if c.ID == scenarios.Calm().ID {
			return standingOf(r.cells[i]) == fault
		}
	}
	return false
}

func newSurvivor(r *row, c *matrix.Cell) survivor {
	return survivor{
		Lock: r.lock.ID, Store: r.lock.Store.ID(), Flawed: r.lock.Flawed,
		Must: showAll(c.Expected.Must), May: showAll(may(c)), Why: why(r, c), Settings: settings(c),
	}
}

// why returns the reason of an expectation: that of the scenario, or else that of the lock.
func why(r *row, c *matrix.Cell) string {
	if c.Expected.Reason != "" {
		return c.Expected.Reason
	}
	return r.reason
}

// settings returns the parameters of a cell that are not the scenario's.
func settings(c *matrix.Cell) string {
	var list []string
	for _, p := range c.Settings() {
		list = append(list, p.Name+"="+p.Value)
	}
	return strings.Join(list, " ")
}
