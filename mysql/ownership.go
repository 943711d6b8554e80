package mysql

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
)

// RowOwnership reads the owner of a lock from a row whose primary key is the lock's name
// ([cell.Client.LockName]). Pass it to locktest.Ownership. Without it, the lock counts as held for as
// long as the row exists, whatever its columns are. It is safe for concurrent use.
type RowOwnership struct {
	// Table is the table's name.
	Table string
	// Owner is the column with the name of the lock's owner. If it is empty or NULL, nobody
	// has the lock.
	Owner string
	// Expires is the column with the end of the lease by the server's clock, a DATETIME or TIMESTAMP; empty
	// if leases do not end. A row whose end is NULL does not end either.
	Expires string
}

// Shares returns the share of the row's owner.
func (o RowOwnership) Shares(records []model.Record) ([]model.Share, error) {
	return model.RecordOwnership(o.ofRow).Shares(records)
}

// null is a NULL in a record.
const null = "NULL"

func (o RowOwnership) ofRow(r model.Record) ([]model.Share, error) {
	if r.Key != RowKey(o.Table, cell.LockName) {
		return nil, nil
	}
	owner, found := column(r, o.Owner)
	switch {
	case !found:
		return nil, fmt.Errorf("row %q has no column %q", r.Key, o.Owner)
	case owner == "" || owner == null:
		return nil, nil
	}
	share := model.Share{Holder: owner, Count: 1}
	if o.Expires == "" {
		return []model.Share{share}, nil
	}
	text, _ := column(r, o.Expires)
	if text == null {
		return []model.Share{share}, nil
	}
	end, err := time.Parse("2006-01-02 15:04:05.999999", text)
	if err != nil {
		return nil, fmt.Errorf("column %q of row %q has no end: %w", o.Expires, r.Key, err)
	}
	share.Until = end.Sub(cell.Epoch)
	return []model.Share{share}, nil
}

// column is the value of a row's column.
func column(r model.Record, name string) (value string, found bool) {
	for i := 0; i+1 < len(r.Value.Items); i += 2 {
		if strings.EqualFold(r.Value.Items[i], name) {
			return r.Value.Items[i+1], true
		}
	}
	return "", false
}
