package simrun

import (
	"encoding/json"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// jsonPrinter prints one object a line. Fields are only ever added.
type jsonPrinter struct {
	*session
	out *json.Encoder
}

func (*jsonPrinter) begin() {}

func (p *jsonPrinter) print(v any) {
	_ = p.out.Encode(v) // if the reader has gone away, nothing more is needed
}

type jsonFinding struct {
	Type     string `json:"type"`
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Property string `json:"property"`
	// Limit is set if it is a limit of leases and no fault of the lock, by its Cause, which is empty if unknown.
	Limit    bool   `json:"limit"`
	Cause    string `json:"cause,omitempty"`
	Seed     uint64 `json:"seed"`
	Schedule int    `json:"schedule"`
	Trace    string `json:"trace"`
	Sentence string `json:"sentence"`
	Hash     string `json:"hash"`
	// Strategy is empty for an exhaustive search.
	Strategy   string `json:"strategy"`
	Deviations int    `json:"deviations"`
	// Shrunk describes the run before shrinking, and Attribution its needs, if they were determined; Notes describe what
	// failed.
	Shrunk      *traces.Shrunk      `json:"shrunk,omitempty"`
	Attribution *traces.Attribution `json:"attribution,omitempty"`
	// Confirmations are the results on real servers that the trace's file had for the same run.
	Confirmations []traces.Confirmation `json:"confirmations,omitempty"`
	Notes         []string              `json:"notes,omitempty"`
}

func (p *jsonPrinter) finding(one finding) {
	t := one.Trace
	f := jsonFinding{
		Type: "finding", Scenario: t.Scenario, Lock: t.Lock, Property: t.Property, Limit: t.Limit,
		Seed: t.Seed, Schedule: t.Schedule, Trace: one.path, Hash: t.Hash,
		Strategy: t.Strategy, Deviations: explore.CountDeviations(t.Tape), Shrunk: t.Shrunk, Attribution: t.Attribution, Confirmations: t.Confirmations, Notes: one.Notes,
	}
	if v := t.Verdict(); v != nil {
		f.Sentence, f.Cause = v.Sentence, v.Cause
	}
	p.print(f)
}

type jsonWarning struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (p *jsonPrinter) warning(text string) { p.print(jsonWarning{"warning", text}) }

// jsonNotSearched is a flaw that no schedule can show, and why.
type jsonNotSearched struct {
	Type     string `json:"type"`
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Text     string `json:"text"`
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
	// Violations counts the schedules that violated each property, Limits are the properties that were violated as limits, and
	// Found separates faults and limits: a property may have been violated as both.
	Violations map[string]int `json:"violations"`
	Limits     []string       `json:"limits"`
	Found      []jsonFound    `json:"found"`
	Undecided  int            `json:"undecided"`
	// FirstUndecided is the first verdict that could not be decided.
	FirstUndecided *model.Verdict `json:"first_undecided,omitempty"`
	// NotSearched are flaws that no schedule can show.
	NotSearched []string `json:"not_searched,omitempty"`
	// Interrupted is set if not all schedules were run.
	Interrupted bool   `json:"interrupted"`
	Again       string `json:"again"`
	// Strategy is empty for an exhaustive search.
	Strategy string `json:"strategy"`
	// Classes is the number of distinct orders of observable events among the
	// schedules.
	Classes int `json:"classes"`
	// ClassesError is the standard error of Classes, as a share of it, if they were estimated.
	ClassesError float64 `json:"classes_error,omitempty"`
	Shard        string  `json:"shard,omitempty"`
	// Missing names the parts that a merge lacked, Resume the command that resumes an interrupted search.
	Missing string     `json:"missing,omitempty"`
	Resume  string     `json:"resume,omitempty"`
	Check   *jsonCheck `json:"check,omitempty"`
	Elapsed *int64     `json:"elapsed_ns,omitempty"`
}

// jsonFound is a property that was violated as a fault, or as a limit.
type jsonFound struct {
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
	// Schedules is the number of schedules that violated it, and First the first of them.
	Schedules int `json:"schedules"`
	First     int `json:"first"`
	// Needs is the smallest number of deviations that it needs, for an exhaustive search.
	Needs *int `json:"needs,omitempty"`
}

// jsonCheck is the additional part of an exhaustive search.
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
	// Orders is the number of classes of runs, up to the order of independent events, and Unmatched the number of runs that
	// contradict the reduction. Verified is set if there is a reduction and such runs were looked for, up to Complete. Only
	// merge looks for them, not a shard.
	Orders    int  `json:"orders"`
	Unmatched int  `json:"unmatched"`
	Verified  bool `json:"verified"`
	// Needs is the smallest number of deviations that each violated property needs.
	Needs    map[string]int `json:"needs"`
	Sentence string         `json:"sentence"`
}

type jsonLevel struct {
	Bound     int `json:"bound"`
	Schedules int `json:"schedules"`
	// Idle are schedules that were put into the class of another without being run.
	Idle     int  `json:"idle"`
	Orders   int  `json:"orders"`
	Complete bool `json:"complete"`
}

func (p *jsonPrinter) end(o *outcome) {
	for _, text := range o.notSearched {
		p.print(jsonNotSearched{"not-searched", p.cell.Scenario.ID, p.cell.Lock.ID, text})
	}
	for _, t := range o.Troubles {
		p.print(jsonTrouble{"trouble", t})
	}
	out := p.summary(o)
	if ns := o.elapsed.Nanoseconds(); !p.Stable && !p.merging && !p.joined {
		out.Elapsed = &ns
	}
	p.print(out)
}

// summary returns the result of a search, without the elapsed time.
func (h *session) summary(o *outcome) jsonSummary {
	out := jsonSummary{
		Type: "summary", Result: o.result, Scenario: h.cell.Scenario.ID, Lock: h.cell.Lock.ID,
		Parameters: h.cell.Parameters(), Seed: h.id.Seed,
		Schedules: o.Schedules, Events: o.Events, Simulated: int64(o.Simulated), Happened: []jsonHappening{},
		Violations: map[string]int{}, Limits: []string{}, Found: []jsonFound{}, Undecided: o.Undecided, FirstUndecided: o.FirstUndecided, NotSearched: o.notSearched, Interrupted: o.interrupted, Again: h.again(),
		Strategy: h.id.Strategy, Shard: shardName(h.shard),
	}
	out.Classes, out.ClassesError = o.Distinct()
	out.found(o)
	if len(o.missing) > 0 {
		out.Missing = h.absent(o.missing)
	}
	if o.interrupted || len(o.missing) > 0 {
		out.Resume = h.goOn()
	}
	for i, h := range h.cell.Happenings() {
		out.Happened = append(out.Happened, jsonHappening{h.Name, o.Happened[i]})
	}
	if o.check != nil {
		out.Check = h.checked(o)
	}
	return out
}

// found fills in the violations.
func (s *jsonSummary) found(o *outcome) {
	for _, v := range checker.InOrder(o.Violations) {
		n, first := o.Violations[v], o.First[v]
		s.Violations[v.Property] += n
		if v.Limit {
			s.Limits = append(s.Limits, v.Property)
		}
		f := jsonFound{Property: v.Property, Limit: v.Limit, Schedules: n, First: first.Schedule}
		if o.check != nil {
			f.Needs = &first.Deviations
		}
		s.Found = append(s.Found, f)
	}
}

func (h *session) checked(o *outcome) *jsonCheck {
	s, complete := o.check, o.check.Complete
	if h.shard.Of > 1 {
		complete = -1
	}
	c := &jsonCheck{
		Bound: s.Bound, Complete: complete, Plain: h.id.Plain, Limited: s.Limited, Limit: h.id.Limit, Levels: []jsonLevel{},
		Orders: len(s.Orders), Unmatched: s.Unmatched, Verified: complete >= 0 && !h.id.Plain, Needs: map[string]int{}, Sentence: o.result + h.meaning(o) + ". " + h.coverage(s),
	}
	for i, l := range s.Levels {
		c.Levels = append(c.Levels, jsonLevel{Bound: i, Schedules: l.Schedules, Idle: l.Idle, Orders: l.Orders, Complete: i <= complete})
	}
	for _, v := range checker.InOrder(s.Violations) {
		n := s.First[v].Deviations
		if least, known := c.Needs[v.Property]; !known || n < least {
			c.Needs[v.Property] = n
		}
	}
	return c
}
