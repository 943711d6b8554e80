package main

import (
	"encoding/json"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// jsonPrinter prints one object a line. Fields are only ever added.
type jsonPrinter struct {
	command *runCmd
	again   string
	out     *json.Encoder
	cell    scenarios.Cell
}

func (*jsonPrinter) begin()                    {}
func (*jsonPrinter) progress(*explore.Summary) {}

func (p *jsonPrinter) print(v any) {
	_ = p.out.Encode(v) // a reader that has gone away wants nothing any more
}

type jsonFinding struct {
	Type     string `json:"type"`
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
	Seed     uint64 `json:"seed"`
	Schedule int    `json:"schedule"`
	Trace    string `json:"trace"`
	Sentence string `json:"sentence"`
	Hash     string `json:"hash"`
}

func (p *jsonPrinter) finding(t *traces.Trace, path string) {
	f := jsonFinding{
		Type: "finding", Scenario: t.Scenario, Lock: t.Lock, Property: t.Property, Limit: t.Limit,
		Seed: t.Seed, Schedule: t.Schedule, Trace: path, Hash: t.Hash,
	}
	if v := t.Verdict(); v != nil {
		f.Sentence = v.Sentence
	}
	p.print(f)
}

type jsonTrouble struct {
	Type string `json:"type"`
	explore.Trouble
}

type jsonHappening struct {
	Name      string `json:"name"`
	Schedules int    `json:"schedules"`
}

type jsonSummary struct {
	Type       string             `json:"type"`
	Result     string             `json:"result"`
	Scenario   string             `json:"scenario"`
	Lock       string             `json:"lock"`
	Parameters []traces.Parameter `json:"parameters"`
	Seed       uint64             `json:"seed"`
	Schedules  int                `json:"schedules"`
	Events     int64              `json:"events"`
	Simulated  int64              `json:"simulated_ns"`
	Happened   []jsonHappening    `json:"happened"`
	Violations map[string]int     `json:"violations"`
	// Limits are the properties whose violations are limits, not faults.
	Limits    []string `json:"limits"`
	Undecided int      `json:"undecided"`
	// FirstUndecided is the first verdict that could not be decided.
	FirstUndecided *model.Verdict `json:"first_undecided,omitempty"`
	// Interrupted is set if not all schedules were run.
	Interrupted bool   `json:"interrupted"`
	Again       string `json:"again"`
	Elapsed     *int64 `json:"elapsed_ns,omitempty"`
}

func (p *jsonPrinter) end(s *explore.Summary, elapsed time.Duration) {
	for _, t := range s.Troubles {
		p.print(jsonTrouble{"trouble", t})
	}
	out := jsonSummary{
		Type: "summary", Result: s.Result(), Scenario: p.cell.Scenario.ID, Lock: p.cell.Lock.ID,
		Parameters: p.cell.Params.List(), Seed: p.command.Seed,
		Schedules: s.Schedules, Events: s.Events, Simulated: int64(s.Simulated), Happened: []jsonHappening{},
		Violations: s.Violations, Limits: append([]string{}, p.cell.Params.Limits()...), Undecided: s.Undecided, FirstUndecided: s.FirstUndecided, Interrupted: s.Interrupted, Again: p.again,
	}
	for i, h := range p.cell.Scenario.Happenings {
		out.Happened = append(out.Happened, jsonHappening{h.Name, s.Happened[i]})
	}
	if ns := elapsed.Nanoseconds(); !p.command.Stable {
		out.Elapsed = &ns
	}
	p.print(out)
}
