package postgres

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
)

// RowOwnership reads the owner of a lock from a row whose primary key is the lock's name
// ([cell.Client.LockName]). Pass it to locktest.Ownership. Without it, the lock counts as held for as long as
// the row exists, whatever its columns are. It is safe for concurrent use.
type RowOwnership struct {
	// Table is the table's name.
	Table string
	// Owner is the column with the name of the lock's owner. If it is empty or NULL, nobody has the lock.
	Owner string
	// Expires is the column with the end of the lease by the server's clock, a timestamp with or without time
	// zone; empty if leases do not end. A row whose end is NULL or infinity does not end either.
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
	switch text {
	case null, "infinity":
		return []model.Share{share}, nil
	case "-infinity":
		return nil, nil
	}
	end, err := end(text)
	if err != nil {
		return nil, fmt.Errorf("column %q of row %q has no end: %w", o.Expires, r.Key, err)
	}
	share.Until = end.Sub(cell.Epoch)
	return []model.Share{share}, nil
}

// end parses a timestamp; one without a time zone counts as UTC, which is the server's time zone.
func end(text string) (t time.Time, err error) {
	if t, err = time.Parse("2006-01-02 15:04:05.999999Z07", text); err != nil {
		t, err = time.Parse("2006-01-02 15:04:05.999999", text)
	}
	return t, err
}

// column is the value of a row's column.
func column(r model.Record, name string) (value string, found bool) {
	for i := 0; i+1 < len(r.Value.Items); i += 2 {
		if r.Value.Items[i] == name {
			return r.Value.Items[i+1], true
		}
	}
	return "", false
}

// AdvisoryOwnership is the view of a lock that is an advisory lock with a key, of one number or two: the
// session has it that has got it. Pass it to locktest.Ownership.
func AdvisoryOwnership(key ...int64) model.Ownership { return SessionOwnership(AdvisoryKey(key...)) }

// SessionOwnership is the view of a lock that is a record of a session, such as one of [RowLockKey] or
// [TableLockKey]: the session has it. Pass it to locktest.Ownership.
func SessionOwnership(record string) model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Key != record {
			return nil, nil
		}
		return []model.Share{{Holder: r.Session, Count: 1}}, nil
	})
}
