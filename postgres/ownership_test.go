package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres"
)

func TestRowOwnership(t *testing.T) {
	row := func(table string, items ...string) model.Record {
		return model.Record{Key: postgres.RowKey(table, cell.LockName), Value: model.Stored{Items: items}}
	}
	in := func(d time.Duration) string { return cell.Epoch.Add(d).Format("2006-01-02 15:04:05.999999+00") }
	held := model.Share{Key: postgres.RowKey("locks", cell.LockName), Holder: "c1", Count: 1}
	leased := held
	leased.Until = 1500 * time.Millisecond
	for _, e := range []struct {
		name    string
		expires string
		record  model.Record
		want    []model.Share
		err     string
	}{
		{"owner", "", row("locks", "name", "lock", "owner", "c1"), []model.Share{held}, ""},
		{"nobody", "", row("locks", "owner", ""), nil, ""},
		{"no owner", "", row("locks", "owner", "NULL"), nil, ""},
		{"no column", "", row("locks", "name", "lock"), nil, "no column"},
		{"another table", "", row("other", "owner", "c1"), nil, ""},
		{"end", "expires", row("locks", "owner", "c1", "expires", in(1500*time.Millisecond)), []model.Share{leased}, ""},
		{"end without a time zone", "expires", row("locks", "owner", "c1", "expires", strings.TrimSuffix(in(1500*time.Millisecond), "+00")), []model.Share{leased}, ""},
		{"no end", "expires", row("locks", "owner", "c1", "expires", "NULL"), []model.Share{held}, ""},
		{"infinity", "expires", row("locks", "owner", "c1", "expires", "infinity"), []model.Share{held}, ""},
		{"-infinity", "expires", row("locks", "owner", "c1", "expires", "-infinity"), nil, ""},
		{"wrong end", "expires", row("locks", "owner", "c1", "expires", "soon"), nil, "has no end"},
	} {
		t.Run(e.name, func(t *testing.T) {
			got, err := postgres.RowOwnership{Table: "locks", Owner: "owner", Expires: e.expires}.Shares([]model.Record{e.record})
			if e.err != "" {
				if err == nil || !strings.Contains(err.Error(), e.err) {
					t.Errorf("error %v, want %s", err, e.err)
				}
				return
			}
			if err != nil || !slices.Equal(got, e.want) {
				t.Errorf("%v, %v; want %v", got, err, e.want)
			}
		})
	}
}

func TestAdvisoryOwnership(t *testing.T) {
	records := []model.Record{{Key: postgres.AdvisoryKey(7), Session: "session 3"}, {Key: postgres.AdvisoryKey(7, 1), Session: "session 4"}}
	got, err := postgres.AdvisoryOwnership(7).Shares(records)
	if err != nil || len(got) != 1 || got[0].Holder != "session 3" {
		t.Errorf("%v, %v", got, err)
	}
}
