package recording_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/recording"
)

// TestExpiredBefore: a record whose end has passed expired before the next one was created, unless it was taken over before its end, or extended.
func TestExpiredBefore(t *testing.T) {
	end := time.Unix(100, 0)
	record := func(text string, end time.Time) recording.Record {
		return recording.Record{Value: model.Stored{Type: "string", Text: text}, Ends: end}
	}
	old, next := record("c1", end), end.Add(time.Second)
	for _, test := range []struct {
		name     string
		old, new recording.Record
		now      time.Time
		want     bool
	}{
		{"taken when it had ended", old, record("c2", next), end, true},
		{"taken before its end", old, record("c2", next), end.Add(-time.Millisecond), false},
		{"extended, and seen after its end", old, record("c1", next), end.Add(time.Millisecond), false},
		{"changed without a new end", old, record("c2", end), end.Add(time.Millisecond), false},
		{"without an end", record("c1", time.Time{}), record("c2", next), end, false},
	} {
		if got := test.old.ExpiredBefore(test.new, test.now); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}
