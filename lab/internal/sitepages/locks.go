package sitepages

import (
	"cmp"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/model"
)

// lock are the params of a lock's page.
type lock struct {
	Store    string   `json:"store"`
	Family   string   `json:"family"`
	Flawed   bool     `json:"flawed,omitempty"`
	Kind     string   `json:"kind"`
	Topology string   `json:"topology,omitempty"`
	Origin   *origin  `json:"origin"`
	Reason   string   `json:"reason"`
	Broken   []broken `json:"broken"`
	// Silent are the scenarios in which nothing is found, and Nowhere those that do not apply.
	Silent  []string `json:"silent,omitempty"`
	Nowhere []string `json:"nowhere,omitempty"`
	// Shown are the scenarios whose counterexample is of this lock.
	Shown []string `json:"shown,omitempty"`
	// Faults and Limits are the numbers of scenarios in which a fault, or a limit, must be found.
	Faults int `json:"faults"`
	Limits int `json:"limits"`
}

// broken is a scenario in which something is found, or may be.
type broken struct {
	Scenario string   `json:"scenario"`
	Standing standing `json:"standing"`
	Must     []shown  `json:"must,omitempty"`
	May      []shown  `json:"may,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Settings string   `json:"settings,omitempty"`
}

// locks writes a page for each lock.
func (s *site) locks() error {
	origins, err := s.origins()
	if err != nil {
		return err
	}
	for i, r := range s.rows {
		one := lock{
			Store: r.lock.Store.ID(), Family: r.family, Flawed: r.lock.Flawed, Kind: kindText(r.lock.Subject.Spec()), Topology: r.topology,
			Origin: origins[r.lock.ID], Reason: r.reason,
		}
		for j, c := range s.columns {
			if story := s.stories[c.ID]; story.Lock == r.lock.ID {
				one.Shown = append(one.Shown, c.ID)
			}
			one.add(c.ID, r.cells[j])
		}
		f := front{Title: r.lock.ID, Description: sentence(r.lock.Summary), Weight: i + 1, Params: one}
		if err := s.page("locks/"+r.lock.ID+".md", f, s.linked(one.Origin.doc)); err != nil {
			return err
		}
	}
	return s.page("locks/_index.md", front{
		Title:       "Locks",
		Description: "Every lock that comes with Lockpick: sound ones to import, and flawed ones as they are often written, which are there to be caught.",
	}, "")
}

// add adds the expectation of the lock in a scenario.
func (l *lock) add(scenario string, c *matrix.Cell) {
	st := standingOf(c)
	switch st {
	case notApplicable:
		l.Nowhere = append(l.Nowhere, scenario)
		return
	case fault:
		l.Faults++
	case limit:
		l.Limits++
	}
	if st == silent && len(c.Expected.Must) == 0 {
		l.Silent = append(l.Silent, scenario)
		return
	}
	l.Broken = append(l.Broken, broken{
		Scenario: scenario, Standing: st, Must: showAll(c.Expected.Must), May: showAll(may(c)), Reason: c.Expected.Reason, Settings: settings(c),
	})
}

// kindText returns the noun of a lock's kind.
func kindText(spec model.Spec) string { return cmp.Or(spec.Kind.Noun(), string(spec.Kind)) }
