package playground

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Search is a search requested by the page.
type Search struct {
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	// Parameters are those that differ from the scenario's.
	Parameters []traces.Parameter `json:"parameters,omitempty"`
	// Seed is a string in JSON: numbers of JavaScript do not have 64 bits.
	Seed uint64 `json:"seed,string"`
	// Schedules is the number of schedules, from 1 to MaxSchedules.
	Schedules int `json:"schedules"`
	// Show is the finding to show as soon as it is found, by its property, with a ~limit if it is a limit of leases. If it is
	// empty, that is the first finding.
	Show string `json:"show,omitempty"`
}

// MaxSchedules is the largest number of schedules of a search. It takes some minutes in a browser.
const MaxSchedules = 100_000

// effort limits the work on a finding, in runs: a browser makes some hundred in a second.
var effort = hunt.Effort{Faults: 400, Limits: 400, Remedies: 60}

// Session searches, and keeps the findings of its last search. It is not safe for concurrent use.
type Session struct {
	Known  cell.Registry
	Worker explore.Worker
	// Send receives the messages: a [Progress], [Found], [Shown], [Shrinking], [End] or [Failed].
	Send func(any)

	search Search
	cell   cell.Cell
	found  []*traces.Trace
}

// Search makes a search. It ends with an [End], or with a [Failed] if the search cannot be made.
func (s *Session) Search(ctx context.Context, q Search) {
	s.found = nil
	var err error
	if s.search, s.cell, err = s.prepare(q); err != nil {
		s.Send(Failed{Type: "failed", Reason: err.Error()})
		return
	}
	h := &hunt.Hunt{
		Search: hunt.Search{Strategy: explore.PortfolioStrategy, Seed: q.Seed, Schedules: q.Schedules},
		Cell:   s.cell, Reducer: s.reducer(), NoShrink: true, SampleLast: true,
		OnFinding: func(f *hunt.Finding) { s.keep(f) },
		OnProgress: func(sum *explore.Summary) {
			s.Send(Progress{Type: "progress", Schedules: sum.Schedules, Of: q.Schedules, Events: sum.Events, Classes: len(sum.Classes)})
		},
	}
	r, err := h.Run(ctx)
	if err != nil && !r.Interrupted {
		s.Send(Failed{Type: "failed", Reason: err.Error(), Spent: s.spent()})
		return
	}
	s.Send(s.end(r))
}

// prepare returns a search with its cell.
func (s *Session) prepare(q Search) (Search, cell.Cell, error) {
	c, err := s.Known.Cell(q.Scenario, q.Lock, q.Parameters)
	switch {
	case err != nil:
		return q, c, err
	case q.Schedules < 1 || q.Schedules > MaxSchedules:
		return q, c, fmt.Errorf("%d schedules: want 1 to %d", q.Schedules, MaxSchedules)
	}
	if lacks := c.Lacks(); lacks != "" {
		return q, c, fmt.Errorf("the scenario %s does not apply to %s: %s", q.Scenario, q.Lock, lacks)
	}
	return q, c, nil
}

func (s *Session) reducer() hunt.Reducer {
	return hunt.Reducer{
		Worker: s.Worker, Jobs: 1, Known: s.Known, Effort: effort,
		OnShrink: func(_ string, before int, p explore.ShrinkProgress) {
			s.Send(Shrinking{Type: "shrinking", Runs: p.Runs, AtMost: p.AtMost, Before: before, Deviations: p.Deviations})
		},
		OnNeeds: func(_ string, runs, atMost int) {
			s.Send(Shrinking{Type: "shrinking", Needs: true, Runs: runs, AtMost: atMost})
		},
	}
}

// spent reports whether the worker can make no more runs.
func (s *Session) spent() bool { return s.Worker.Here != nil && s.Worker.Here.Spent() }

// keep keeps a finding and sends a message about it.
func (s *Session) keep(f *hunt.Finding) {
	s.found = append(s.found, f.Trace)
	n := len(s.found) - 1
	s.Send(s.finding(n, f.Notes))
	name := f.Trace.Property
	if f.Trace.Limit {
		name += "~limit"
	}
	if s.search.Show == name || s.search.Show == "" && n == 0 {
		s.Show(n)
	}
}

func (s *Session) finding(n int, notes []string) Found {
	t := s.found[n]
	f := Found{Type: "found", Number: n, Property: t.Property, Limit: t.Limit, Schedule: t.Schedule, Hash: t.Hash, Notes: notes}
	for _, v := range t.Verdicts {
		if v.Property == t.Property {
			f.Sentence = v.Sentence
		}
	}
	return f
}

// Show sends a whole finding, by its number from 0.
func (s *Session) Show(n int) {
	if n < 0 || n >= len(s.found) {
		s.Send(Failed{Type: "failed", Reason: fmt.Sprintf("there is no finding %d of %d", n, len(s.found))})
		return
	}
	shown, err := s.shown(n)
	if err != nil {
		s.Send(Failed{Type: "failed", Reason: err.Error()})
		return
	}
	s.Send(shown)
}

func (s *Session) shown(n int) (Shown, error) {
	t := s.found[n]
	var file strings.Builder
	err := traces.Encode(&file, t)
	return Shown{Type: "shown", Found: s.finding(n, nil), Shrunk: t.Shrunk != nil, Trace: file.String(), Command: s.Command()}, err
}

// Shrink shrinks a finding, determines its needs, and shows it. It ends with a [Shown] or a [Failed].
func (s *Session) Shrink(ctx context.Context, n int) {
	if n < 0 || n >= len(s.found) || s.found[n].Shrunk != nil {
		s.Show(n)
		return
	}
	r := s.reducer()
	t, err := r.Again(ctx, s.cell, s.found[n])
	switch {
	case t != nil: // without all of its needs, if it was interrupted
		s.found[n] = t
	case ctx.Err() == nil:
		s.Send(Failed{Type: "failed", Reason: "the finding was not shrunk: " + err.Error(), Spent: s.spent()})
		return
	}
	s.Show(n)
}

// Hashes makes the first runs of a search, at random, and returns their hashes: a difference between machines shows there
// first.
func (s *Session) Hashes(ctx context.Context, q Search) ([]string, error) {
	q, c, err := s.prepare(q)
	if err != nil {
		return nil, err
	}
	var hashes []string
	var trouble *explore.Trouble
	err = s.Worker.Do(ctx, explore.Request{Cell: c.Encode(), Seed: q.Seed, Count: q.Schedules}, func(r explore.Result) bool {
		hashes, trouble = append(hashes, fmt.Sprintf("%016x", r.Hash)), r.Trouble
		return trouble == nil
	})
	if err == nil && trouble != nil {
		err = trouble
	}
	return hashes, err
}

// Compare makes the runs of known searches, and reports for each whether its hashes are the same here.
func (s *Session) Compare(ctx context.Context, list []Known) {
	for i, k := range list {
		hashes, err := s.Hashes(ctx, k.Search)
		if err != nil {
			s.Send(Failed{Type: "failed", Reason: err.Error(), Spent: s.spent()})
			return
		}
		c := Compared{Type: "compared", Scenario: k.Scenario, Lock: k.Lock, Runs: len(hashes), Last: i == len(list)-1}
		for n := range max(len(hashes), len(k.Hashes)) {
			if n >= len(hashes) || n >= len(k.Hashes) || hashes[n] != k.Hashes[n] {
				c.Differ++
			}
		}
		s.Send(c)
	}
}

// Command returns the command that makes the search on a machine.
func (s *Session) Command() string {
	q := s.search
	words := []string{"simrun", "run", wording.Shell(q.Scenario), "--" + s.cell.Noun(), wording.Shell(q.Lock), "--seed", fmt.Sprint(q.Seed), "--runs", fmt.Sprint(q.Schedules)}
	for _, p := range s.cell.Settings() {
		words = append(words, "-p", wording.Shell(p.Name+"="+p.Value))
	}
	return strings.Join(words, " ")
}

// end returns the result of a search.
func (s *Session) end(r *hunt.Result) End {
	e := End{
		Type: "end", Word: r.Word, Schedules: r.Schedules, Events: r.Events, Classes: len(r.Classes), Interrupted: r.Interrupted,
		Command: s.Command(), Hash: hashOf(r.Tally), Spent: s.spent(), Verdicts: []Verdict{},
	}
	for _, id := range s.cell.Judged() {
		e.Verdicts = append(e.Verdicts, Verdict{
			Property: id, Faults: r.Violations[model.Violation{Property: id}],
			Limits: r.Violations[model.Violation{Property: id, Limit: true}], Undecided: r.UndecidedOf[id],
		})
	}
	for i, h := range s.cell.Happenings() {
		if i < len(r.Happened) && r.Happened[i] == 0 {
			e.Missing = append(e.Missing, h.Name)
		}
	}
	for _, t := range r.Troubles {
		e.Troubles = append(e.Troubles, fmt.Sprintf("schedule %d: %s: %s", t.Schedule, t.Kind, t.Reason))
	}
	return e
}

// hashOf returns a hash of all counts of a search, with the tapes and hashes of its findings and the classes of all runs.
func hashOf(t *explore.Tally) string {
	raw, err := json.Marshal(t)
	if err != nil {
		panic(err) // it is written into states
	}
	h := fnv.New64a()
	_, _ = h.Write(raw) // it takes everything
	return fmt.Sprintf("%016x", h.Sum64())
}
