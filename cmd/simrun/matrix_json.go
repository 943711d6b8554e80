package main

import (
	"encoding/json"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

type jsonMatrixCell struct {
	Type     string `json:"type"`
	Family   string `json:"family"`
	Lock     string `json:"lock"`
	Scenario string `json:"scenario"`
	// Settings are the parameters that are not the scenario's own.
	Settings []traces.Parameter `json:"settings"`
	// Standing is none-found, limit, fault, undecided, not-applicable or
	// not-searched, and Result that of the search in the words of run.
	Standing   string          `json:"standing"`
	Result     string          `json:"result,omitempty"`
	AsExpected bool            `json:"as_expected"`
	Schedules  int             `json:"schedules"`
	Undecided  int             `json:"undecided"`
	Happened   []jsonHappening `json:"happened"`
	// Properties are those that were judged, with what was found of each.
	Properties []jsonMatrixProperty `json:"properties"`
	// Except says why the scenario does not apply.
	Except string `json:"except,omitempty"`
	Reason string `json:"reason"`
	Again  string `json:"again"`
}

type jsonMatrixProperty struct {
	Property string `json:"property"`
	// Verdict is violated or none-found, and Expected must, may or never.
	Verdict  string `json:"verdict"`
	Expected string `json:"expected"`
	// Limit is set if this is of violations as a limit of leases, and not of those as
	// a fault of the lock. Where a property is violated, or may be, in both ways,
	// there is one of each.
	Limit bool `json:"limit"`
	// Schedules is how many violated it, First the first of them.
	Schedules int    `json:"schedules,omitempty"`
	First     int    `json:"first,omitempty"`
	Sentence  string `json:"sentence,omitempty"`
	Cause     string `json:"cause,omitempty"`
	Trace     string `json:"trace,omitempty"`
}

type jsonProblem struct {
	Type     string `json:"type"`
	Kind     string `json:"kind"`
	Lock     string `json:"lock"`
	Scenario string `json:"scenario"`
	Sentence string `json:"sentence"`
}

type jsonMatrixSummary struct {
	Type        string `json:"type"`
	Result      string `json:"result"`
	Seed        uint64 `json:"seed"`
	Runs        int    `json:"runs"`
	Cells       int    `json:"cells"`
	Searched    int    `json:"searched"`
	AsExpected  int    `json:"as_expected"`
	Schedules   int    `json:"schedules"`
	Interrupted bool   `json:"interrupted"`
	Elapsed     *int64 `json:"elapsed_ns,omitempty"`
}

// json prints the cells, what is not as expected, and a summary.
func (m *matrix) json() {
	out := json.NewEncoder(m.out)
	var problems []jsonProblem
	for _, f := range m.families {
		for _, r := range f.rows {
			for _, c := range r.cells {
				_ = out.Encode(c.json(f.title)) // a reader that has gone away wants nothing any more
				for _, p := range c.problems() {
					problems = append(problems, jsonProblem{"problem", p.kind, c.cell.Lock.ID, c.cell.Scenario.ID, p.text})
				}
			}
		}
	}
	for _, p := range problems {
		_ = out.Encode(p)
	}
	t := m.totals()
	s := jsonMatrixSummary{
		Type: "summary", Result: "as-expected", Seed: m.Seed, Runs: m.Runs, Cells: t.cells, Searched: t.searched,
		AsExpected: t.asExpected, Schedules: t.schedules, Interrupted: m.interrupted,
	}
	switch m.code() {
	case exitNone:
	case exitInterrupted:
		s.Result = "interrupted"
	case exitViolation:
		s.Result = "not-as-expected"
	default:
		s.Result = "inconclusive"
	}
	if ns := m.elapsed.Nanoseconds(); !m.Stable {
		s.Elapsed = &ns
	}
	_ = out.Encode(s)
}

func (c *matrixCell) json(family string) jsonMatrixCell {
	j := jsonMatrixCell{
		Type: "cell", Family: family, Lock: c.cell.Lock.ID, Scenario: c.cell.Scenario.ID, Settings: append([]traces.Parameter{}, c.cell.Settings()...),
		Standing: string(c.standing()), Happened: []jsonHappening{}, Properties: []jsonMatrixProperty{},
		Except: c.expected.Except, Reason: c.why(), Again: c.again(),
	}
	if c.sum == nil {
		j.AsExpected = c.expected.Except != ""
		return j
	}
	j.Result, j.Schedules, j.Undecided = c.sum.Result(), c.sum.Schedules, c.sum.Undecided
	j.AsExpected = !c.sum.Interrupted && len(c.problems()) == 0
	for i, h := range c.cell.Scenario.Happenings {
		j.Happened = append(j.Happened, jsonHappening{h.Name, c.sum.Happened[i]})
	}
	for _, id := range checker.IDs() {
		if !checker.Weak(id) {
			for _, v := range c.classesOf(id) {
				j.Properties = append(j.Properties, c.property(v))
			}
		}
	}
	return j
}

// classesOf are the classes in which a property was violated or is expected to be:
// as a fault, as a limit, or both. Where there is neither, it is that it must never
// be violated as a fault.
func (c *matrixCell) classesOf(id string) (list []model.Violation) {
	fault, limit := model.Violation{Property: id}, model.Violation{Property: id, Limit: true}
	for _, v := range []model.Violation{fault, limit} {
		if c.sum.Violations[v] > 0 || c.expected.Allows(v) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		list = append(list, fault)
	}
	return list
}

// property is what was found of a property in one class, and what is expected.
func (c *matrixCell) property(v model.Violation) jsonMatrixProperty {
	p := jsonMatrixProperty{Property: v.Property, Verdict: string(standsNone), Expected: c.expected.Word(v), Limit: v.Limit}
	n := c.sum.Violations[v]
	if n == 0 {
		return p
	}
	p.Verdict, p.Schedules, p.First = "violated", n, c.sum.First[v].Schedule
	if f := c.findingOf(v); f != nil {
		said := f.verdict(v)
		p.Sentence, p.Cause, p.Trace = said.Sentence, said.Cause, f.path
	}
	return p
}
