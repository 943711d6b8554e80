package scenarios

import (
	"encoding/json"

	"github.com/lockpick-dev/lockpick/scenarios/faults"
)

// Smaller lists the encoded cells that are a step smaller than the given one:
// with fewer clients, fewer rounds, or a smaller budget of faults, the most
// radical first. It is for [explore.Shrink].
func Smaller(raw json.RawMessage) []json.RawMessage {
	var w wireCell
	if json.Unmarshal(raw, &w) != nil {
		return nil // whoever resolves it will say so
	}
	var p Params
	if p.SetAll(w.Parameters, faults.All) != nil {
		return nil
	}
	var list []json.RawMessage
	for _, q := range p.Smaller() {
		list = append(list, encode(wireCell{Scenario: w.Scenario, Lock: w.Lock, Parameters: q.List()}))
	}
	return list
}

// encode names a cell for a worker.
func encode(w wireCell) json.RawMessage {
	raw, err := json.Marshal(w)
	must(err) // strings and numbers only
	return raw
}
