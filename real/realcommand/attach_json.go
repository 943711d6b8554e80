package realcommand

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/real/attach"
)

// attachedFinding is a line of a search's output in JSON: a finding, or a violation that is none since too few tries show it.
// Fields are only ever added.
type attachedFinding struct {
	Type     string `json:"type"` // finding, or unsteady
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
	Cause    string `json:"cause,omitempty"`
	Seed     uint64 `json:"seed"`
	Run      int    `json:"run"`
	Trace    string `json:"trace,omitempty"`
	Sentence string `json:"sentence"`
	Workload string `json:"workload"`
	// Faults are the plan, of From faults before it was shrunk; Shown of Of tries show the violation.
	Faults []string `json:"faults"`
	From   int      `json:"from"`
	Shown  int      `json:"shown"`
	Of     int      `json:"of"`
	// Also are violations that as many of the same tries show.
	Also []attachedViolation `json:"also,omitempty"`
}

type attachedViolation struct {
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
	Cause    string `json:"cause,omitempty"`
}

// attachedTrouble is a run that a client has ended.
type attachedTrouble struct {
	Type     string   `json:"type"` // trouble
	Scenario string   `json:"scenario"`
	Client   string   `json:"client"`
	Reason   string   `json:"reason"`
	Faults   []string `json:"faults"`
}

// attachedSummary is the last line.
type attachedSummary struct {
	Type     string `json:"type"` // summary
	Result   string `json:"result"`
	Lock     string `json:"lock"`
	Store    string `json:"store"`
	Server   string `json:"server"`
	Seed     uint64 `json:"seed"`
	Runs     int    `json:"runs"`
	Findings int    `json:"findings"`
	Limits   int    `json:"limits"`
	Unsteady int    `json:"unsteady"`
	Troubles int    `json:"troubles"`
	// Vacuous is the number of runs in which no fault of the plan struck.
	Vacuous int   `json:"vacuous"`
	Elapsed int64 `json:"elapsed_ns"`
}

// attachedRule is a line of a check: a rule, and what the client does instead, if it breaks it.
type attachedRule struct {
	Type  string `json:"type"` // rule
	Rule  string `json:"rule"`
	Kept  bool   `json:"kept"`
	Wrong string `json:"wrong,omitempty"`
	Note  string `json:"note,omitempty"`
}

// attachedChecked is the last line of a check.
type attachedChecked struct {
	Type   string `json:"type"` // summary
	Result string `json:"result"`
	Rules  int    `json:"rules"`
	Broken int    `json:"broken"`
}

// encode prints a line.
func (*attachCmd) encode(h command.Host, v any) error {
	return json.NewEncoder(wording.Data(h.Out())).Encode(v)
}

// printJSON prints what a search has found. Path is the file of its trace.
func (c *attachCmd) printJSON(h command.Host, p attach.Progress, path string) error {
	switch {
	case p.Broken != nil:
		b := p.Broken
		return c.encode(h, attachedTrouble{"trouble", b.Scenario, b.Err.Client, b.Err.Error(), texts(b.Plan)})
	case p.Unsteady != nil:
		return c.encode(h, c.finding("unsteady", p.Unsteady, ""))
	case p.Found != nil:
		return c.encode(h, c.finding("finding", p.Found, filepath.ToSlash(path)))
	}
	return nil
}

// finding is the line of a violation.
func (c *attachCmd) finding(kind string, f *attach.Found, path string) attachedFinding {
	line := attachedFinding{
		Type: kind, Scenario: f.Scenario, Property: f.Property, Limit: f.Limit, Cause: f.Cause, Seed: f.Seed, Run: f.Run, Trace: path,
		Sentence: f.Sentence, Workload: f.Workload.ID, Faults: texts(f.Plan), From: f.From, Shown: f.Times, Of: f.Of,
	}
	if f.Trace != nil {
		line.Lock = f.Trace.Lock
	}
	for _, v := range f.Also {
		line.Also = append(line.Also, attachedViolation{v.Property, v.Limit, v.Cause})
	}
	return line
}

// texts are the faults of a plan, never nil.
func texts(p attach.Plan) []string { return append([]string{}, p.Strings()...) }

// summary is the last line of a search.
func (c *attachCmd) summary(sum *attach.Summary, took time.Duration, interrupted bool) attachedSummary {
	result := "nothing found"
	switch {
	case interrupted:
		result = "interrupted"
	case len(sum.Found) > 0:
		result = "fault found"
	}
	return attachedSummary{
		Type: "summary", Result: result, Lock: sum.Lock, Store: c.Store, Server: sum.Server, Seed: c.Seed, Runs: sum.Runs,
		Findings: len(sum.Found), Limits: len(sum.Limits), Unsteady: len(sum.Unsteady), Troubles: len(sum.Broken), Vacuous: sum.Vacuous, Elapsed: took.Nanoseconds(),
	}
}

// checkedJSON prints the results of a check, and returns the number of broken rules.
func (c *attachCmd) checkedJSON(h command.Host, list []attach.Checked) (broken int, err error) {
	for _, r := range list {
		if r.Wrong != "" {
			broken++
		}
		if err := c.encode(h, attachedRule{"rule", r.Rule, r.Wrong == "", r.Wrong, r.Note}); err != nil {
			return broken, err
		}
	}
	result := map[bool]string{true: "rules are broken", false: "the client keeps the protocol"}[broken > 0]
	return broken, c.encode(h, attachedChecked{"summary", result, len(list), broken})
}
