package recorded

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Comparison is the JSON of a replay. Fields are only ever added.
type Comparison struct {
	Type  string `json:"type"`
	Trace string `json:"trace"`
	// Result is identical if the run is the recorded one, different if only its decisions are, diverged if it asked for other
	// decisions, and unfinished if it did not finish.
	Result string `json:"result"`
	// Kept is set if the run violates the same as the recorded one, or did not finish for the same reason.
	Kept bool `json:"kept"`
	// Property and Limit are the recorded violation, and Violated are those of this run.
	Property string         `json:"property,omitempty"`
	Limit    bool           `json:"limit,omitempty"`
	Violated []jsonViolated `json:"violated"`
	// Recorded and Hash are the hashes of both runs, and Difference describes how they differ.
	Recorded   string              `json:"recorded"`
	Hash       string              `json:"hash,omitempty"`
	Difference string              `json:"difference,omitempty"`
	Diverged   *explore.Divergence `json:"diverged,omitempty"`
	Trouble    *traces.Trouble     `json:"trouble,omitempty"`
	// RecordedWith and ReplayedWith are the versions of both.
	RecordedWith traces.Versions `json:"recordedWith"`
	ReplayedWith traces.Versions `json:"replayedWith"`
	// Explanation is the output of simrun explain --json for this run.
	Explanation json.RawMessage `json:"explanation,omitempty"`
}

type jsonViolated struct {
	Property string `json:"property"`
	Limit    bool   `json:"limit"`
}

// Compared returns the JSON of a replay without an explanation: the comparison of this run, nil if it did not finish, with
// the recorded one.
func (c *Replay) Compared(old, now *traces.Trace, r *explore.Result, differs string, with traces.Versions) Comparison {
	j := Comparison{
		Type: "replay", Trace: c.Trace, Result: "identical", Property: old.Property, Limit: old.Limit, Violated: []jsonViolated{},
		Recorded: old.Hash, Difference: differs, RecordedWith: old.Made, ReplayedWith: with,
	}
	if now != nil {
		j.Hash = now.Hash
	}
	switch {
	case r == nil:
		j.Result = "unfinished"
		return j
	case r.Divergence != nil:
		j.Result, j.Diverged = "diverged", r.Divergence
	case differs != "":
		j.Result = "different"
	}
	for _, v := range r.Violated {
		j.Violated = append(j.Violated, jsonViolated{v.Property, v.Limit})
	}
	j.Kept = old.Trouble == nil && (old.Property == "" || old.Violation().Shown(r.Violated))
	return j
}

// Print writes it, with the explanation of the trace of unless that is nil.
func (j *Comparison) Print(w io.Writer, of *traces.Trace) error {
	if of != nil {
		text, err := Explained(of, "")
		if err != nil {
			return err
		}
		j.Explanation = text
	}
	out := json.NewEncoder(wording.Data(w))
	out.SetEscapeHTML(false)
	return out.Encode(j)
}

// Explained returns the explanation of a trace as JSON, with the command that replays it unless that is empty.
func Explained(t *traces.Trace, replay string) (json.RawMessage, error) {
	format, err := render.FormatOf("json", "")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := format.Write(&out, t, replay); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// troubledJSON is troubled with JSON.
func (c *Replay) troubledJSON(h *Host, cell cell.Cell, old *traces.Trace, r *explore.Result, trouble *explore.Trouble) error {
	var now *traces.Trace
	if trouble != nil {
		r = nil
	} else {
		now = rerun(cell, old, r)
		now.Schedule = -1 // it is of no search
	}
	j := c.Compared(old, now, r, "", h.Versions)
	if trouble != nil {
		j.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason, Leaked: trouble.Leaked}
		j.Kept = string(trouble.Kind) == old.Trouble.Kind
	} else {
		j.Result, j.Difference = "different", "the recorded run did not finish ("+old.Trouble.Kind+"); this one did"
	}
	if err := j.Print(h.Out, now); err != nil {
		return err
	}
	return Exit(ExitTrouble)
}
