package attach

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestRow: a row belongs to the owner that it names, until its end.
func TestRow(t *testing.T) {
	view := row{Owner: "holder", Until: "expires_at"}
	for _, c := range []struct {
		key, holder, until string
		shares             int
		end                time.Duration
		fails              bool
	}{
		{"locks/lock", "a", "2000-01-01 00:00:02.5", 1, 2500 * time.Millisecond, false},
		{"locks/lock", "a", "NULL", 1, 0, false},
		{"locks/lock", "", "2000-01-01 00:00:02", 0, 0, false},
		{"locks/lock", "NULL", "NULL", 0, 0, false},
		{"locks/other", "a", "2000-01-01 00:00:02", 0, 0, false},
		{"locks/lock", "a", "soon", 0, 0, true},
	} {
		r := model.Record{Key: c.key, Value: model.Stored{Type: "row", Items: []string{"name", "lock", "Holder", c.holder, "expires_at", c.until}}}
		shares, err := view.Shares([]model.Record{r})
		if (err != nil) != c.fails || len(shares) != c.shares || c.shares > 0 && (shares[0].Holder != c.holder || shares[0].Until != c.end) {
			t.Errorf("%+v: %v, %v", c, shares, err)
		}
	}
}
