package simrun

import (
	"encoding/json"
	"io"

	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

type jsonMatrixCell struct {
	Type     string `json:"type"`
	Family   string `json:"family"`
	Lock     string `json:"lock"`
	Scenario string `json:"scenario"`
	// Settings are the parameters that differ from the scenario's.
	Settings []traces.Parameter `json:"settings"`
	// Standing is none-found, vacuous, limit, fault, undecided, not-applicable or not-searched, and Result is the result of the search
	// as in run.
	Standing   string          `json:"standing"`
	Result     string          `json:"result,omitempty"`
	AsExpected bool            `json:"as_expected"`
	Schedules  int             `json:"schedules"`
	Undecided  int             `json:"undecided"`
	Happened   []jsonHappening `json:"happened"`
	// Troubles are the runs that did not finish.
	Troubles []jsonCellTrouble `json:"troubles,omitempty"`
	// Properties are the judged properties, with their findings.
	Properties []jsonMatrixProperty `json:"properties"`
	// Except is why the scenario does not apply.
	Except string `json:"except,omitempty"`
	Reason string `json:"reason"`
	Again  string `json:"again"`
}

// jsonCellTrouble is a run that did not finish, without its stack and its tape.
type jsonCellTrouble struct {
	Kind     explore.TroubleKind `json:"kind"`
	Schedule int                 `json:"schedule"`
	Reason   string              `json:"reason"`
}

type jsonMatrixProperty struct {
	Property string `json:"property"`
	// Verdict is violated or none-found, and Expected must, may or never.
	Verdict  string `json:"verdict"`
	Expected string `json:"expected"`
	// Limit is set for violations as a limit of leases, and not for those as a fault. A property that is violated, or may be,
	// in both classes has two entries.
	Limit bool `json:"limit"`
	// Schedules is the number of schedules that violated it, First the first of them.
	Schedules int    `json:"schedules,omitempty"`
	First     int    `json:"first,omitempty"`
	Sentence  string `json:"sentence,omitempty"`
	Cause     string `json:"cause,omitempty"`
	Trace     string `json:"trace,omitempty"`
	// Confirmations are the results of the trace on real servers, if it was kept for this property.
	Confirmations []traces.Confirmation `json:"confirmations,omitempty"`
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
	Shard       string `json:"shard,omitempty"`
	Runs        int    `json:"runs"`
	Cells       int    `json:"cells"`
	Searched    int    `json:"searched"`
	AsExpected  int    `json:"as_expected"`
	Schedules   int    `json:"schedules"`
	Interrupted bool   `json:"interrupted"`
	Elapsed     *int64 `json:"elapsed_ns,omitempty"`
}

// cellsFile is the file of the cells in the directory of the counterexamples.
const cellsFile = "matrix.ndjson"

// json writes the cells, the problems, and a summary.
func (m *matrixReport) json(w io.Writer) {
	out := json.NewEncoder(w)
	var problems []jsonProblem
	for _, f := range m.Groups {
		for _, r := range f.Rows {
			for _, c := range r.Cells {
				if c.Elsewhere {
					continue // its own shard has it
				}
				_ = out.Encode(cellJSON(c, f.Title)) // if the reader has gone away, nothing more is needed
				for _, p := range c.Problems() {
					problems = append(problems, jsonProblem{"problem", p.Kind, c.Lock.ID, c.Scenario.ID, p.Text})
				}
			}
		}
	}
	for _, p := range problems {
		_ = out.Encode(p)
	}
	t := m.Totals()
	s := jsonMatrixSummary{
		Type: "summary", Result: m.Result(), Seed: m.Seed, Shard: shardName(m.Options.Shard), Runs: m.Runs, Cells: t.Cells, Searched: t.Searched,
		AsExpected: t.AsExpected, Schedules: t.Schedules, Interrupted: m.Interrupted,
	}
	if ns := m.elapsed.Nanoseconds(); !m.Stable {
		s.Elapsed = &ns
	}
	_ = out.Encode(s)
}

func cellJSON(c *matrix.Cell, family string) jsonMatrixCell {
	j := jsonMatrixCell{
		Type: "cell", Family: family, Lock: c.Lock.ID, Scenario: c.Scenario.ID, Settings: append([]traces.Parameter{}, c.Settings()...),
		Standing: string(c.Standing()), Happened: []jsonHappening{}, Properties: []jsonMatrixProperty{},
		Except: c.Expected.Except, Reason: c.Why(), Again: c.Again(),
	}
	if c.Summary == nil {
		j.AsExpected = c.Expected.Except != ""
		return j
	}
	j.Result, j.Schedules, j.Undecided = c.Summary.Result(), c.Summary.Schedules, c.Summary.Undecided
	j.AsExpected = c.AsExpected()
	for i, h := range c.Happenings() {
		j.Happened = append(j.Happened, jsonHappening{h.Name, c.Summary.Happened[i]})
	}
	for i := range c.Summary.Troubles {
		t := &c.Summary.Troubles[i]
		j.Troubles = append(j.Troubles, jsonCellTrouble{t.Kind, t.Schedule, t.Reason})
	}
	for _, p := range c.Usual() {
		for _, v := range c.Classes(p.ID) {
			j.Properties = append(j.Properties, propertyJSON(c, v))
		}
	}
	return j
}

// propertyJSON returns the findings and the expectation of a property in one class.
func propertyJSON(c *matrix.Cell, v model.Violation) jsonMatrixProperty {
	p := jsonMatrixProperty{Property: v.Property, Verdict: string(matrix.NoneFound), Expected: c.Expected.Word(v), Limit: v.Limit}
	n := c.Summary.Violations[v]
	if n == 0 {
		return p
	}
	p.Verdict, p.Schedules, p.First = "violated", n, c.Summary.First[v].Schedule
	if f := c.FindingOf(v); f != nil {
		said := f.Verdict(v)
		p.Sentence, p.Cause, p.Trace = said.Sentence, said.Cause, f.Path
		if f.Trace.Violation() == v {
			p.Confirmations = f.Trace.Confirmations
		}
	}
	return p
}
