package mysql_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql"
)

func TestRowOwnership(t *testing.T) {
	row := func(table string, items ...string) model.Record {
		return model.Record{Key: mysql.RowKey(table, cell.LockName), Value: model.Stored{Items: items}}
	}
	in := func(d time.Duration) string { return cell.Epoch.Add(d).Format("2006-01-02 15:04:05.000000") }
	held := model.Share{Key: mysql.RowKey("locks", cell.LockName), Holder: "c1", Count: 1}
	leased := held
	leased.Until = 1500 * time.Millisecond
	always, lease := mysql.RowOwnership{Table: "locks", Owner: "owner"}, mysql.RowOwnership{Table: "locks", Owner: "Owner", Expires: "ends"}
	for _, c := range []struct {
		view   mysql.RowOwnership
		record model.Record
		want   []model.Share
		err    string
	}{
		{always, row("locks", "name", "lock", "owner", "c1", "ends", in(time.Second)), []model.Share{held}, ""},
		{always, row("locks", "name", "lock", "owner", ""), nil, ""},
		{always, row("locks", "name", "lock", "owner", "NULL"), nil, ""},
		{always, row("others", "owner", "c1"), nil, ""},
		{always, row("locks", "holder", "c1"), nil, "no column"},
		{lease, row("locks", "owner", "c1", "ends", in(1500*time.Millisecond)), []model.Share{leased}, ""},
		{lease, row("locks", "owner", "c1", "ends", "NULL"), []model.Share{held}, ""},
		{lease, row("locks", "owner", "c1", "ends", "soon"), nil, "no end"},
	} {
		got, err := c.view.Shares([]model.Record{c.record})
		if !slices.Equal(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v of %+v: %+v, %v", c.view, c.record, got, err)
		}
	}
}
