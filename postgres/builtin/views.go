package builtin

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
)

// leasedRow is the view of a lock that is a row with an end by the server's clock: its owner has it until then.
var leasedRow = postgres.RowOwnership{Table: "lock_leases", Owner: "owner", Expires: "expires"}

// lockedRow is the view of a lock that is a row's: the session whose transaction has locked it has it.
var lockedRow = postgres.SessionOwnership(postgres.RowLockKey("lock_rows", cell.LockName))

// advisory is the view of an advisory lock: the session has it that has got it.
var advisory = postgres.AdvisoryOwnership(pglocks.Key(cell.LockName))
