package model

// Stored is the value of a key in a store.
type Stored struct {
	// Type is as the command TYPE says: string, hash, list, set or zset.
	Type string
	// Text is the value of a string.
	Text string
	// Items are what the others consist of: the elements of a list in their
	// order, the members of a set, the fields of a hash and the members of a
	// sorted set in an order of their own, each followed by its value or its
	// score.
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

// An Ownership reads from one key of a node who has the lock by it, for locks
// that are more than one value under one key. It returns the names of the
// holders, whatever the lock calls them, and none for a key by which nobody has
// the lock, such as a counter or a queue. It is called with every key that
// there is, must go by its arguments alone, and must not keep them.
//
// A holder belongs to the acquisition whose request has put its name there,
// until the name is gone from the key.
type Ownership func(key string, value Stored) (holders []string)

// HashFields is the [Ownership] of locks that are a hash with a field for each
// holder, such as re-entrant ones with their count: all hashes are taken for
// such.
func HashFields(_ string, value Stored) []string {
	if value.Type != "hash" {
		return nil
	}
	return value.Names()
}
