package simrun

import (
	"encoding/json"
	"strings"

	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// conclusion is the printed result of a search. Its state has it, so that it can be reported later, also by a program
// without the lock.
type conclusion struct {
	Summary jsonSummary `json:"summary"`
	// Meaning explains the result, in a sentence without its point.
	Meaning string `json:"meaning,omitempty"`
	// Settings are the parameters that differ from the scenario's own.
	Settings []traces.Parameter `json:"settings,omitempty"`
}

// conclusion returns the conclusion of the search, for its state.
func (h *session) conclusion(o *outcome) json.RawMessage {
	raw, err := json.Marshal(conclusion{Summary: h.summary(o), Meaning: bare(h.meaning(o)), Settings: h.cell.Settings()})
	if err != nil {
		panic(err) // strings and numbers only
	}
	return raw
}

// bare returns the meaning of a result as a sentence of its own.
func bare(meaning string) string { return strings.Trim(meaning, ":,. ") }

// conclusionOf returns the conclusion of a search, nil if it has not ended.
func conclusionOf(s *explore.State) (*conclusion, error) {
	if len(s.Said) == 0 {
		return nil, nil
	}
	var text conclusion
	if err := json.Unmarshal(s.Said, &text); err != nil {
		return nil, err
	}
	return &text, nil
}
