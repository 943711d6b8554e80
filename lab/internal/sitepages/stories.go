package sitepages

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	storydata "github.com/lockpick-dev/lockpick/traces/story"
)

// story is a counterexample.
type story struct {
	Lock     string   `json:"lock"`
	Store    string   `json:"store"`
	Property string   `json:"property"`
	Limit    bool     `json:"limit,omitempty"`
	Sentence string   `json:"sentence"`
	Steps    []step   `json:"steps"`
	Needs    []string `json:"needs,omitempty"`
	// View is the page that steps through it, and Trace its file, below the site's root.
	View  string `json:"view"`
	Trace string `json:"trace"`
	// Command is the command that finds it again.
	Command string `json:"command"`
}

// step is a step that matters for the verdict.
type step struct {
	Time  string `json:"time"`
	Actor string `json:"actor"`
	Text  string `json:"text"`
	Bad   bool   `json:"bad,omitempty"`
}

// effort is the effort for each counterexample.
var effort = hunt.Effort{Faults: 600, Limits: 600}

// tellStories finds a counterexample for each scenario.
func (s *site) tellStories() error {
	recorded, err := s.corpus()
	if err != nil {
		return err
	}
	s.stories = map[string]*story{}
	for i, c := range s.columns {
		t := recorded[c.ID]
		if t == nil {
			if t, err = s.found(i); err != nil {
				return fmt.Errorf("scenario %s: %w", c.ID, err)
			}
		}
		if s.stories[c.ID], err = s.keep(t); err != nil {
			return fmt.Errorf("scenario %s: %w", c.ID, err)
		}
	}
	return nil
}

// corpus returns the simplest recorded counterexample of each scenario: a fault before a limit of leases, and of a lock
// with a short name.
func (s *site) corpus() (map[string]*traces.Trace, error) {
	files, err := filepath.Glob(filepath.Join(s.Root, "traces", "corpus", "*.json"))
	if err != nil {
		return nil, err
	}
	best := map[string]*traces.Trace{}
	for _, path := range files {
		t, err := traces.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if _, err := s.registry.Lock(t.Lock); err != nil {
			continue // a lock of the tests
		}
		if old := best[t.Scenario]; old == nil || simpler(t, old) < 0 {
			best[t.Scenario] = t
		}
	}
	return best, nil
}

// simpler orders counterexamples of one scenario.
func simpler(a, b *traces.Trace) int {
	limits := func(t *traces.Trace) int {
		if t.Limit {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(limits(a), limits(b)), cmp.Compare(len(a.Lock), len(b.Lock)))
}

// aim is a violation of a cell to look for.
type aim struct {
	*matrix.Cell
	model.Violation
	// may is set if it need not be found, and elsewhere is the number of scenarios in which the lock shows it.
	may       bool
	elsewhere int
}

// schedules returns the number of schedules to search, with the seed [hunt.DefaultSeed]: few if it need not be found.
func (a aim) schedules() int {
	if a.may {
		return hunt.DefaultSchedules / 4
	}
	return hunt.DefaultSchedules
}

// found searches for a counterexample of a column's scenario.
func (s *site) found(column int) (*traces.Trace, error) {
	for _, a := range s.aims(column) {
		s.progress("searching " + s.columns[column].ID + " for " + a.String() + " of " + a.Lock.ID)
		t, err := s.search(a)
		if t != nil || err != nil {
			return t, err
		}
	}
	return nil, errors.New("no search of a lock that may show one has found a counterexample")
}

// aims returns the violations of a scenario by locks that are sound without faults: those that must be found before those
// that may, faults before limits, happenings before starvation, and then those that the lock shows in the fewest other
// scenarios.
func (s *site) aims(column int) (list []aim) {
	for _, r := range s.rows {
		c := r.cells[column]
		if c == nil || s.failsCalm(&r) && c.Scenario.ID != scenarios.Calm().ID {
			continue
		}
		for _, v := range slices.Concat(c.Expected.Must, c.Expected.May) {
			p, _ := c.Property(v.Property)
			if !p.Usual() {
				continue
			}
			a := aim{Cell: c, Violation: v, may: !slices.Contains(c.Expected.Must, v)}
			for _, other := range r.cells {
				if other != nil && (slices.Contains(other.Expected.Must, v) || a.may && other.Expected.Allows(v)) {
					a.elsewhere++
				}
			}
			list = append(list, a)
		}
	}
	ordinal := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b aim) int {
		elsewhere := a.elsewhere - b.elsewhere
		if a.may || a.Scenario.ID == scenarios.Calm().ID {
			elsewhere = -elsewhere // a violation shown by many scenarios is found soon, and needs no fault
		}
		endless := func(a aim) bool { return a.Property == checker.Progress } // whose pictures are long
		return cmp.Or(ordinal(a.may)-ordinal(b.may), ordinal(a.Limit)-ordinal(b.Limit), ordinal(endless(a))-ordinal(endless(b)), elsewhere)
	})
	return list
}

// search searches for a violation, and shrinks the finding; nil if it finds nothing.
func (s *site) search(a aim) (*traces.Trace, error) {
	h := hunt.Hunt{
		Search:  hunt.Search{Strategy: explore.PortfolioStrategy, Seed: hunt.DefaultSeed, Schedules: a.schedules()},
		Cell:    a.Cell.Cell,
		Reducer: hunt.Reducer{Worker: s.Worker, Jobs: s.Jobs, Known: s.registry, Effort: effort},
		Reports: func(v model.Violation) bool { return v == a.Violation },
		Enough:  func(sum *explore.Summary) bool { return sum.Violations[a.Violation] > 0 },
	}
	r, err := h.Run(s.ctx)
	if err == nil && s.ctx.Err() != nil {
		err = s.ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	for _, f := range r.Reported {
		if f.Trace.Violation() == a.Violation && !f.Unsteady {
			return f.Trace, nil
		}
	}
	return nil, nil
}

// keep writes the page and the trace of a counterexample.
func (s *site) keep(t *traces.Trace) (*story, error) {
	lock, err := s.registry.Lock(t.Lock)
	if err != nil {
		return nil, err
	}
	v := t.Violation()
	name := t.Scenario + "_" + t.Lock + "_" + t.Property
	one := &story{
		Lock: t.Lock, Store: lock.Store.ID(), Property: v.Property, Limit: v.Limit,
		View: "counterexamples/" + name + ".html", Trace: "counterexamples/" + name + ".json",
	}
	for i := range t.Verdicts {
		if t.Verdicts[i].Violation() == v {
			one.Sentence = t.Verdicts[i].Sentence
		}
	}
	if one.Sentence == "" {
		return nil, errors.New("the trace has no verdict on its property")
	}
	for _, p := range storydata.Steps(t) {
		one.Steps = append(one.Steps, step{traces.Seconds(p.At, 4), p.Actor, p.Text, p.Violating})
	}
	if t.Attribution != nil {
		one.Needs = storydata.Needed(t.Attribution)
	}
	one.Command, err = s.command(t)
	if err != nil {
		return nil, err
	}
	var view, trace bytes.Buffer
	if err := errors.Join(render.View(&view, t, "simrun replay "+name+".json"), traces.Encode(&trace, t)); err != nil {
		return nil, err
	}
	return one, errors.Join(s.file("static/"+one.View, view.Bytes()), s.file("static/"+one.Trace, trace.Bytes()))
}

// command returns the command that searches the cell of a trace.
func (s *site) command(t *traces.Trace) (string, error) {
	params := t.Parameters
	if t.Shrunk != nil {
		params = t.Shrunk.Parameters
	}
	c, err := s.registry.Cell(t.Scenario, t.Lock, params)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("simrun run %s --lock %s --seed %d", t.Scenario, t.Lock, t.Seed)
	for _, p := range c.Settings() {
		text += " --param " + p.Name + "=" + p.Value
	}
	return text, nil
}

// frontPicture draws the counterexample of the README again, with colours for light and dark.
func (s *site) frontPicture() error {
	t, err := traces.ReadFile(filepath.Join(s.Root, "traces", "corpus", "gc-pause_setpx_no-lost-update.json"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := render.Draw(&b, t); err != nil {
		return err
	}
	const at = "pictures/counterexample.svg"
	s.addresses["docs/counterexample.png"] = address{File: at}
	return s.file("static/"+at, b.Bytes())
}
