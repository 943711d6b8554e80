package scenarios

import "encoding/json"

// Smaller lists the encoded cells that are a step smaller than an encoded one of the
// same lock: with fewer clients, fewer rounds, or a smaller budget of faults, the most
// radical first. It is for [explore.Shrink].
func (c Cell) Smaller(raw json.RawMessage) []json.RawMessage {
	var w wireCell
	if json.Unmarshal(raw, &w) != nil {
		return nil // whoever resolves it will say so
	}
	var p Params
	if c.settings().SetAll(&p, w.Parameters) != nil {
		return nil
	}
	var list []json.RawMessage
	for _, q := range c.settings().Smaller(p) {
		list = append(list, encode(wireCell{Scenario: w.Scenario, Lock: w.Lock, Parameters: c.settings().List(q)}))
	}
	return list
}

// encode names a cell for a worker.
func encode(w wireCell) json.RawMessage {
	raw, err := json.Marshal(w)
	must(err) // strings and numbers only
	return raw
}
