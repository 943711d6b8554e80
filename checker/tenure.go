package checker

import (
	"time"

	"github.com/lockpick-dev/lockpick/checker/internal/spans"
	"github.com/lockpick-dev/lockpick/model"
)

// tenure is a stretch of time in which an authority, or a node that takes itself for
// one, has the lock for one acquisition, by one record.
type tenure struct {
	// node is the authority, or the follower that becomes it ([model.Observation.Place]),
	// and key that of the record.
	node, key string
	// holder is the name of the holder in the record, if that can be read, writes whether
	// its share is a writer's, and until is when that ends by itself, 0 if it does not.
	holder string
	writes bool
	until  time.Duration
	// ends are when it was to end by itself, in the course of the observations.
	ends []lapse
	// by is the operation that wrote the value, or only its process if that
	// was done for none.
	by model.Origin
	// acquisition is the one that it belongs to, 0 if that is not known; unknown
	// is set if it may be anybody's.
	acquisition int
	unknown     bool
	// first is the number of the first tenure that the same write began: of what was
	// copied, that of the node from which.
	first int
	// from is when it began there: by a write, or when another record went that its own
	// had waited behind, or, if it goes on from where it was (resumed), because the
	// node was promoted or came back.
	from    model.Stamp
	resumed bool
	// over is what ended it: an expiry, a deletion, a write for another
	// acquisition, a drop, of its own record or of one that decides beside it; or that
	// the node crashed or is none any more.
	// Nil if it lasts to the end of the history.
	over *model.Observation
	// wrote is the observation that it began with, or of the copy that it goes
	// on with, or of the record that had waited.
	wrote *model.Observation
}

// lapse is when a share ends by itself, as an observation of its record tells.
type lapse struct {
	seq   int64
	until time.Duration
}

// written is where the record was written that the tenure rests on, or where it came
// back.
func (t *tenure) written() model.Stamp {
	if t.resumed {
		return t.from
	}
	return t.wrote.Stamp
}

// stands reports whether the tenure stands right after the event.
func (t *tenure) stands(seq int64) bool {
	return t.from.Seq <= seq && (t.over == nil || t.over.Seq > seq)
}

// overlaps reports whether it stands at some time from one event to another.
func (t *tenure) overlaps(from, to int64) bool {
	return t.from.Seq <= to && (t.over == nil || t.over.Seq > from)
}

// of reports whether it is of the key; the empty name stands for all.
func (t *tenure) of(key string) bool { return key == "" || t.key == key }

// tenureIndex has tenures by what they are looked up by, each by its number.
type tenureIndex struct {
	made         bool
	acquisitions *grouped[int]
	overs        []int                 // by the events that ended them
	threads      map[thread]*spans.Set // of acquisitions
	unknown      *spans.Set            // of unknown holders
	nobodys      []int                 // of no acquisition
}
