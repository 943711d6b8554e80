package simpostgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/executor"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// View returns a view of the server, or nil if there is none of that name. The columns of PostgreSQL that are not there are
// those with types that the simulation does not have, and those about what it does not do. There are no rows of the server's own
// processes, and none of locks on indexes.
func (s *session) View(name string) *executor.View {
	switch name {
	case "pg_stat_activity":
		return view("datid oid, datname name, pid int4, leader_pid int4, usesysid oid, usename name, application_name text, client_hostname text, backend_start timestamptz, "+
			"xact_start timestamptz, query_start timestamptz, state_change timestamptz, wait_event_type text, wait_event text, state text, "+
			"backend_xid xid, query_id int8, query text, backend_type text", s.activity)
	case "pg_locks":
		return view("locktype text, database oid, relation oid, page int4, tuple int2, virtualxid text, transactionid xid, classid oid, objid oid, "+
			"objsubid int2, pid int4, mode text, granted bool", s.allLocks)
	}
	return nil
}

// view makes a view of columns, each a name and a type.
func view(columns string, rows func() ([][]types.Value, error)) *executor.View {
	v := &executor.View{Rows: rows}
	for column := range strings.SplitSeq(columns, ", ") {
		name, typeName, _ := strings.Cut(column, " ")
		oid, ok := types.Lookup(typeName)
		if !ok {
			panic("simpostgres: the type " + typeName)
		}
		v.Columns = append(v.Columns, executor.Column{Name: name, Type: oid, Mod: -1})
	}
	return v
}

// Numbers of the catalog, as in a new PostgreSQL 15.
const (
	databaseOID = 5
	roleOID     = 10
)

// activity returns the rows of pg_stat_activity: of the sessions of clients, as they were when the transaction read it first.
func (s *session) activity() (rows [][]types.Value, err error) {
	if s.seen != nil {
		return s.reseen(), nil
	}
	for _, o := range s.node.sessions {
		state, kind, event := o.state()
		xact, xid := types.Value(nil), types.Value(nil)
		if t := o.back.Txn(); t != nil {
			xact = o.transaction.at
			if id := t.CurrentID(); id != 0 {
				xid = id
			}
		}
		rows = append(rows, []types.Value{
			int64(databaseOID), s.Database(), int64(o.pid), nil, int64(roleOID), s.User(), o.settings.show("application_name"), nil, o.began,
			xact, o.queried, o.changed, kind, event, state, xid, nil, o.query, "client backend",
		})
	}
	s.seen = rows
	return rows, nil
}

// reseen returns the rows that were read before, with what the sessions wait for now.
func (s *session) reseen() (rows [][]types.Value) {
	const pid, kind, event = 2, 12, 13
	for _, row := range s.seen {
		if o := s.node.session(int32(row[pid].(int64))); o != nil {
			row = slices.Clone(row)
			_, row[kind], row[event] = o.state()
		}
		rows = append(rows, row)
	}
	return rows
}

// state returns what the session does and waits for, in the words of pg_stat_activity.
func (s *session) state() (state string, kind, event types.Value) {
	if !s.running() {
		if s.active {
			return "active", "Client", "ClientRead"
		}
		switch s.block {
		case openBlock:
			state = "idle in transaction"
		case failedBlock:
			state = "idle in transaction (aborted)"
		default:
			state = "idle"
		}
		return state, "Client", "ClientRead"
	}
	if k, e, waits := s.back.Waiting(); waits {
		return "active", k, e
	}
	if s.parked != "" {
		return "active", "Timeout", "PgSleep"
	}
	return "active", nil, nil
}

// allLocks returns the rows of pg_locks.
func (s *session) allLocks() (rows [][]types.Value, err error) {
	for _, l := range s.node.data.Locks() {
		row := make([]types.Value, 13)
		row[0], row[1], row[10], row[11], row[12] = l.LockType, int64(databaseOID), int64(l.PID), l.Mode, l.Granted
		switch l.LockType {
		case "relation":
			row[2] = int64(l.Table.OID)
		case "tuple":
			page, item, ok := place(l.Tuple)
			if !ok {
				return nil, pgerror.Lacks("pg_locks with the lock on the tuple %s", l.Tuple.CTID())
			}
			row[2], row[3], row[4] = int64(l.Table.OID), page, item
		case "virtualxid":
			row[1], row[5] = nil, l.VirtualXID
		case "transactionid":
			row[1], row[6] = nil, l.XID
		case "advisory":
			row[7], row[8], row[9] = int64(uint32(l.Key.A)), int64(uint32(l.Key.B)), int64(1)
			if l.Key.Pair {
				row[9] = int64(2)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// place returns the page and the number of a tuple in it.
func place(t *storage.Tuple) (page, item int64, ok bool) {
	n, err := fmt.Sscanf(t.CTID(), "(%d,%d)", &page, &item)
	return page, item, n == 2 && err == nil
}
