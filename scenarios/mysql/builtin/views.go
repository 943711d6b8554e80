package builtin

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/mysql"
)

// ownedRow is the view of a lock that is a row: its owner has it as long as it is there.
var ownedRow = model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
	if r.Key != mysql.RowKey("lock_owners", scenarios.LockName) {
		return nil, nil
	}
	return []model.Share{{Holder: column(r, "owner"), Count: 1}}, nil
})

// leasedRow is the view of a lock that is a row with an end by the server's clock: its
// owner has it until then.
var leasedRow = model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
	owner := column(r, "owner")
	if r.Key != mysql.RowKey("lock_leases", scenarios.LockName) || owner == "" {
		return nil, nil
	}
	end, err := time.Parse("2006-01-02 15:04:05.999999", column(r, "expires"))
	if err != nil {
		return nil, fmt.Errorf("row %q has no end: %w", r.Key, err)
	}
	return []model.Share{{Holder: owner, Count: 1, Until: end.Sub(scenarios.Epoch)}}, nil
})

// column is the value of a row's column.
func column(r model.Record, name string) string {
	for i := 0; i+1 < len(r.Value.Items); i += 2 {
		if strings.EqualFold(r.Value.Items[i], name) {
			return r.Value.Items[i+1]
		}
	}
	return ""
}

// lockedRow is the view of a lock that is a row's: the connection whose transaction has
// locked it has it.
var lockedRow = lockOf(mysql.RowLockKey("lock_rows", scenarios.LockName))

// namedLock is the view of a named lock: the connection has it that has got it.
var namedLock = lockOf(mysql.NamedLockKey(scenarios.LockName))

func lockOf(key string) model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Key != key {
			return nil, nil
		}
		return []model.Share{{Holder: r.Session, Count: 1}}, nil
	})
}
