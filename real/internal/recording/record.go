package recording

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Record is a record of a server.
type Record struct {
	Value model.Stored
	// Ends is when it expires, zero if never, or if it ends with its session.
	Ends time.Time
	// Session is the session that it lives with, and Revision its place in the order in which records were created;
	// empty and 0 if the store has no such thing.
	Session  string
	Revision int64
	// Times are the items that are times, by their indexes.
	Times map[int]time.Time
}

// TimeLayout is the format of a time among the items of a record.
const TimeLayout = "2006-01-02 15:04:05.999999"

// Equal reports whether two records are the same.
func (r Record) Equal(o Record) bool {
	return r.Value.Type == o.Value.Type && r.Value.Text == o.Value.Text && slices.Equal(r.Value.Items, o.Value.Items) && r.Ends.Equal(o.Ends) && r.Session == o.Session && r.Revision == o.Revision
}

// ExpiredBefore reports whether the record had expired before another one of its name was created: its end has passed, and the other one has another value.
func (r Record) ExpiredBefore(next Record, now time.Time) bool {
	return !r.Ends.IsZero() && !now.Before(r.Ends) && next.Ends.After(r.Ends) && (next.Value.Text != r.Value.Text || !slices.Equal(next.Value.Items, r.Value.Items))
}
