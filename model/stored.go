package model

// Stored is the value of a key in a store.
type Stored struct {
	// Type is string, hash, list, set or zset, as the command TYPE answers; or row,
	// for a row of a table.
	Type string
	// Text is the value of a string.
	Text string
	// Items are the elements of the other types: those of a list in their order; the
	// members of a set; the fields of a hash, each followed by its value, and the
	// members of a sorted set, each followed by its score, in a fixed order; the
	// columns of a row in their order, each followed by its value.
	Items []string
}

// Field returns the value of a field of a hash or of a column of a row, or the score of a
// member of a sorted set, and whether there is one.
func (s Stored) Field(name string) (value string, ok bool) {
	for i := 0; i+1 < len(s.Items); i += 2 {
		if s.Items[i] == name {
			return s.Items[i+1], s.paired()
		}
	}
	return "", false
}

// pairs returns the fields with their values, or the members with their scores.
func (s Stored) pairs() [][2]string {
	var list [][2]string
	for i := 0; i+1 < len(s.Items); i += 2 {
		list = append(list, [2]string{s.Items[i], s.Items[i+1]})
	}
	return list
}

// paired reports whether every second item belongs to the one before it.
func (s Stored) paired() bool { return s.Type == "hash" || s.Type == "zset" || s.Type == "row" }

// Names returns the fields of a hash, or the columns of a row, or the members of a set
// or a sorted set, or the elements of a list.
func (s Stored) Names() []string {
	if !s.paired() {
		return s.Items
	}
	var names []string
	for i := 0; i < len(s.Items); i += 2 {
		names = append(names, s.Items[i])
	}
	return names
}

// Stored returns the value that an observation of a key shows.
func (o *Observation) Stored() Stored {
	if o.Type == "" {
		return Stored{Type: "string", Text: o.Value}
	}
	return Stored{Type: o.Type, Items: o.Items}
}
