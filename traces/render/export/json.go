package export

import (
	"bytes"
	"encoding/json"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Explanation is the output of Explain, for programs.
type Explanation struct {
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Store    string `json:"store"`
	// Property is the violated property, empty if there is none. Limit is set if the
	// violation is a limit of leases, not a fault of the lock.
	Property string `json:"property,omitempty"`
	Limit    bool   `json:"limit,omitempty"`
	// Rule is what the property asks, and Sentence how it was violated.
	Rule     string            `json:"rule,omitempty"`
	Sentence string            `json:"sentence,omitempty"`
	Steps    []ExplanationStep `json:"steps"`
	// Needs describes the faults that the violation needs.
	Needs string `json:"needs,omitempty"`
	// LeftOut describes the events that the trace leaves out, empty if none.
	LeftOut  string          `json:"leftOut,omitempty"`
	Verdicts []model.Verdict `json:"verdicts"`
	// Confirmations are the results on real servers, and Real is set for a run that was made on them.
	Confirmations []traces.Confirmation `json:"confirmations,omitempty"`
	Real          *traces.Real          `json:"real,omitempty"`
	Replay        string                `json:"replay,omitempty"`
	Hash          string                `json:"hash"`
}

// ExplanationStep is a step of the story.
type ExplanationStep struct {
	Seq       int64  `json:"seq"`
	AtNanos   int64  `json:"atNanos"`
	Actor     string `json:"actor"`
	Text      string `json:"text"`
	Violating bool   `json:"violating,omitempty"`
}

// JSON writes an [Explanation].
func JSON(out *bytes.Buffer, t *traces.Trace, replay string) error {
	e := Explanation{
		Scenario: t.Scenario, Lock: t.Lock, Store: t.Store, Property: t.Property, Limit: t.Limit,
		Steps: []ExplanationStep{}, Verdicts: t.Verdicts, Replay: replay, Hash: t.Hash, LeftOut: t.LeftOut(),
		Confirmations: t.Confirmations, Real: t.Real,
	}
	if v := t.Verdict(); v != nil {
		e.Rule, e.Sentence = t.Description(v.Property).Asks, v.Sentence
	}
	if t.Trouble != nil {
		e.Sentence = t.Trouble.Reason
	}
	for _, s := range story.Steps(t) {
		e.Steps = append(e.Steps, ExplanationStep{s.Seq, int64(s.At), s.Actor, s.Text, s.Violating})
	}
	if t.Attribution != nil {
		e.Needs = story.AttributionSentence(t.Attribution, t.Shrunk)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(e)
}
