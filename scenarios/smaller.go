package scenarios

import (
	"encoding/json"
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
	for _, e := range w.Parameters {
		if p.Set(e.Name, e.Value) != nil {
			return nil
		}
	}
	var list []json.RawMessage
	add := func(field func(*Params) *int, least int) {
		n := *field(&p)
		for _, smaller := range []int{least, n / 2, n - 1} {
			if smaller < least || smaller >= n {
				continue
			}
			q := p
			*field(&q) = smaller
			if q.check() == nil {
				list = append(list, encode(wireCell{Scenario: w.Scenario, Lock: w.Lock, Parameters: q.List()}))
			}
		}
	}
	add(func(p *Params) *int { return &p.Rounds }, 1)
	add(func(p *Params) *int { return &p.Clients }, 1)
	add(func(p *Params) *int { return &p.Resets }, 0)
	add(func(p *Params) *int { return &p.Delays }, 0)
	add(func(p *Params) *int { return &p.Pauses }, 0)
	add(func(p *Params) *int { return &p.Failovers }, 0)
	for _, d := range params {
		if d.rare && !d.shape {
			add(d.field, 0)
		}
	}
	add(func(p *Params) *int { return &p.Replicas }, 0)
	return list
}

// encode names a cell for a worker.
func encode(w wireCell) json.RawMessage {
	raw, err := json.Marshal(w)
	must(err) // strings and numbers only
	return raw
}
