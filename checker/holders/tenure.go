package holders

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// Tenure is a stretch of time in which an authority, or a node that acts as one, has the lock for one acquisition, by one
// record.
type Tenure struct {
	// Node is the authority, or the follower that becomes it ([model.Observation.Place]),
	// Key the record's key.
	Node, Key string
	// Holder is the name of the holder in the record, if that can be read. Writes is set if its share is a writer's. Until is
	// when the share expires, 0 if it does not.
	Holder string
	Writes bool
	Until  time.Duration
	// ends are the times at which it was to end by itself, in the course of the observations.
	ends []lapse
	// By is the operation that wrote the value, or only its process if no operation was open.
	By model.Origin
	// Acquisition is the ID of the Acquire that it belongs to, 0 if unknown. Unknown is set if it may belong to any client.
	Acquisition int
	Unknown     bool
	// First is the number of the first tenure that the same write began: for a copy, that of the node it was copied from.
	First int
	// From is when it began on the node: by a write; by the end of another record that it had waited behind; or, if Resumed,
	// because the node was promoted or came back.
	From    model.Stamp
	Resumed bool
	// Over is the observation that ended it: the expiry, deletion, drop, or write for another acquisition, of its own record
	// or of one that decides beside it; or that the node crashed or stopped serving. Nil if it lasts to the end of the
	// history.
	Over *model.Observation
	// Wrote is the observation of the write that it began with, of the copy that it continues, or of the record that had
	// waited.
	Wrote *model.Observation
}

// lapse is when a share ends by itself, as an observation of its record shows.
type lapse struct {
	seq   int64
	until time.Duration
}

// Written returns when the record of the tenure was written, or when it came back with its node.
func (t *Tenure) Written() model.Stamp {
	if t.Resumed {
		return t.From
	}
	return t.Wrote.Stamp
}

// Stands reports whether the tenure is active right after an event.
func (t *Tenure) Stands(seq int64) bool {
	return t.From.Seq <= seq && (t.Over == nil || t.Over.Seq > seq)
}

// Overlaps reports whether the tenure is active at some time between two events, both included.
func (t *Tenure) Overlaps(from, to int64) bool {
	return t.From.Seq <= to && (t.Over == nil || t.Over.Seq > from)
}

// OfKey reports whether the tenure is of a key; the empty key stands for all.
func (t *Tenure) OfKey(key string) bool { return key == "" || t.Key == key }

// tenureIndex has the numbers of tenures by their lookup keys.
type tenureIndex struct {
	made         bool
	acquisitions *grouped[int]
	overs        []int                 // by the events that ended them
	threads      map[thread]*spans.Set // by their acquisitions
	unknown      *spans.Set            // of unknown holders
	nobodys      []int                 // those without an acquisition
}
