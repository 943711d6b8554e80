package model

// Stored is the value of a key in a store.
type Stored struct {
	// Type is the answer of the command TYPE: string, hash, list, set or zset.
	Type string
	// Text is the value of a string.
	Text string
	// Items are the elements of the other types: of a list in their order, the
	// members of a set, the fields of a hash and the members of a sorted set in a
	// fixed order, each followed by its value or its score.
	Items []string
}

// Field returns the value of a field of a hash, or the score of a member of a
// sorted set, and whether there is one.
func (s Stored) Field(name string) (value string, ok bool) {
	for i := 0; i+1 < len(s.Items); i += 2 {
		if s.Items[i] == name {
			return s.Items[i+1], s.Type == "hash" || s.Type == "zset"
		}
	}
	return "", false
}

// pairs are the fields with their values, or the members with their scores.
func (s Stored) pairs() [][2]string {
	var list [][2]string
	for i := 0; i+1 < len(s.Items); i += 2 {
		list = append(list, [2]string{s.Items[i], s.Items[i+1]})
	}
	return list
}

// Names returns the fields of a hash, or the members of a set or a sorted set,
// or the elements of a list.
func (s Stored) Names() []string {
	if s.Type != "hash" && s.Type != "zset" {
		return s.Items
	}
	var names []string
	for i := 0; i < len(s.Items); i += 2 {
		names = append(names, s.Items[i])
	}
	return names
}

// Stored is the value that an observation of a key shows.
func (o *Observation) Stored() Stored {
	if o.Type == "" {
		return Stored{Type: "string", Text: o.Value}
	}
	return Stored{Type: o.Type, Items: o.Items}
}
