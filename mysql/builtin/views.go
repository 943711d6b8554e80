package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql"
)

// ownedRow is the view of a lock that is a row: its owner has it as long as it is there.
var ownedRow = mysql.RowOwnership{Table: "lock_owners", Owner: "owner"}

// leasedRow is the view of a lock that is a row with an end by the server's clock: its
// owner has it until then.
var leasedRow = mysql.RowOwnership{Table: "lock_leases", Owner: "owner", Expires: "expires"}

// lockedRow is the view of a lock that is a row's: the connection whose transaction has
// locked it has it.
var lockedRow = lockOf(mysql.RowLockKey("lock_rows", cell.LockName))

// lockedTable is the view of a lock that is a table's: the connection has it for which LOCK TABLES has locked it.
var lockedTable = lockOf(mysql.TableLockKey("lock_table_" + cell.LockName))

// namedLock is the view of a named lock: the connection has it that has got it.
var namedLock = lockOf(mysql.NamedLockKey(cell.LockName))

func lockOf(key string) model.Ownership {
	return model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Key != key {
			return nil, nil
		}
		return []model.Share{{Holder: r.Session, Count: 1}}, nil
	})
}
