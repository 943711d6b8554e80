package shards

import "strings"

// The ends of the names of files in which a search keeps its state: one by a strategy, and an exhaustive one.
const (
	SearchEnd = ".search.json"
	CheckEnd  = ".check.json"
)

// IsState reports whether a file has the name of a search's state.
func IsState(path string) bool {
	return strings.HasSuffix(path, SearchEnd) || strings.HasSuffix(path, CheckEnd)
}
