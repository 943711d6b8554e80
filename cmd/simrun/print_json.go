package main

import (
	"encoding/json"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// jsonPrinter prints one object a line. Fields are only ever added.
type jsonPrinter struct {
	*hunt
	out *json.Encoder
}

func (*jsonPrinter) begin() {}

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
	// Strategy is empty for an exhaustive search.
	Strategy   string `json:"strategy"`
	Deviations int    `json:"deviations"`
	// Shrunk says what the trace was shrunk from, and Attribution what was
	// necessary, if that was looked into; Notes what could not be done.
	Shrunk      *traces.Shrunk      `json:"shrunk,omitempty"`
	Attribution *traces.Attribution `json:"attribution,omitempty"`
	Notes       []string            `json:"notes,omitempty"`
}

func (p *jsonPrinter) finding(t *traces.Trace, path string, notes []string) {
	f := jsonFinding{
		Type: "finding", Scenario: t.Scenario, Lock: t.Lock, Property: t.Property, Limit: t.Limit,
		Seed: t.Seed, Schedule: t.Schedule, Trace: path, Hash: t.Hash,
		Strategy: t.Strategy, Deviations: explore.CountDeviations(t.Tape), Shrunk: t.Shrunk, Attribution: t.Attribution, Notes: notes,
	}
	if v := t.Verdict(); v != nil {
		f.Sentence = v.Sentence
	}
	p.print(f)
}

type jsonWarning struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (p *jsonPrinter) warning(text string) { p.print(jsonWarning{"warning", text}) }

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
	// Strategy is empty for an exhaustive search.
	Strategy string `json:"strategy"`
	// Classes is how many different stories the schedules told.
	Classes int    `json:"classes"`
	Shard   string `json:"shard,omitempty"`
	// Missing names what was not there to be merged, Resume the command that
	// goes on with a search that did not come to its end.
	Missing string     `json:"missing,omitempty"`
	Resume  string     `json:"resume,omitempty"`
	Check   *jsonCheck `json:"check,omitempty"`
	Elapsed *int64     `json:"elapsed_ns,omitempty"`
}

// jsonCheck is what an exhaustive search says besides.
type jsonCheck struct {
	Bound int `json:"bound"`
	// Complete is the highest bound that was searched whole, -1 if none was. A
	// shard searches none whole.
	Complete int  `json:"complete"`
	Plain    bool `json:"plain"`
	// Limited is set if a bound was not begun because of the limit.
	Limited bool        `json:"limited"`
	Limit   int         `json:"limit"`
	Levels  []jsonLevel `json:"levels"`
	// Orders is how many classes of runs there are, up to the order of
	// independent events, and Unmatched how many runs contradict the reduction.
	// Verified is set if there is a reduction and it was looked for such runs,
	// up to Complete: in a shard it is not, merge does that.
	Orders    int  `json:"orders"`
	Unmatched int  `json:"unmatched"`
	Verified  bool `json:"verified"`
	// Needs is the smallest number of deviations that each violated property
	// needs.
	Needs    map[string]int `json:"needs"`
	Sentence string         `json:"sentence"`
}

type jsonLevel struct {
	Bound     int `json:"bound"`
	Schedules int `json:"schedules"`
	// Idle are schedules that were put into the class of another without being
	// run.
	Idle     int  `json:"idle"`
	Orders   int  `json:"orders"`
	Complete bool `json:"complete"`
}

func (p *jsonPrinter) end(o *outcome) {
	for _, t := range o.Troubles {
		p.print(jsonTrouble{"trouble", t})
	}
	out := jsonSummary{
		Type: "summary", Result: o.result, Scenario: p.cell.Scenario.ID, Lock: p.cell.Lock.ID,
		Parameters: p.cell.Params.List(), Seed: p.id.Seed,
		Schedules: o.Schedules, Events: o.Events, Simulated: int64(o.Simulated), Happened: []jsonHappening{},
		Violations: o.Violations, Limits: append([]string{}, p.cell.Limits()...), Undecided: o.Undecided, FirstUndecided: o.FirstUndecided, Interrupted: o.interrupted, Again: p.again(),
		Strategy: p.id.Strategy, Classes: len(o.Classes), Shard: shardName(p.shard),
	}
	if len(o.missing) > 0 {
		out.Missing = p.absent(o.missing)
	}
	if o.interrupted || len(o.missing) > 0 {
		out.Resume = p.goOn()
	}
	for i, h := range p.cell.Scenario.Happenings {
		out.Happened = append(out.Happened, jsonHappening{h.Name, o.Happened[i]})
	}
	if o.check != nil {
		out.Check = p.checked(o)
	}
	if ns := o.elapsed.Nanoseconds(); !p.Stable && !p.merging {
		out.Elapsed = &ns
	}
	p.print(out)
}

func (p *jsonPrinter) checked(o *outcome) *jsonCheck {
	s, complete := o.check, o.check.Complete
	if p.shard.Of > 1 {
		complete = -1
	}
	c := &jsonCheck{
		Bound: s.Bound, Complete: complete, Plain: p.id.Plain, Limited: s.Limited, Limit: p.id.Limit, Levels: []jsonLevel{},
		Orders: len(s.Orders), Unmatched: s.Unmatched, Verified: complete >= 0 && !p.id.Plain, Needs: map[string]int{}, Sentence: o.result + p.meaning(o) + ". " + p.statement(s),
	}
	for i, l := range s.Levels {
		c.Levels = append(c.Levels, jsonLevel{Bound: i, Schedules: l.Schedules, Idle: l.Idle, Orders: l.Orders, Complete: i <= complete})
	}
	for id := range s.Violations { // unordered: into a map
		c.Needs[id] = s.First[id].Deviations
	}
	return c
}
