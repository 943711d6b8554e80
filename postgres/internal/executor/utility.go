package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// utility returns a function that executes a statement which is no query. It is analysed only then.
func (a *analysis) utility(st syntax.Statement) (func() (string, error), error) {
	tag, f := a.definition(st)
	if f == nil {
		tag, f = a.maintenance(st)
	}
	if f == nil {
		return nil, pgerror.Lacks("the statement %T here", st)
	}
	if _, ok := st.(*syntax.LockTable); !ok {
		a.write(tag)
	}
	return func() (string, error) {
		if err := f(); err != nil {
			return "", err
		}
		return tag, nil
	}, nil
}

// definition returns the tag of a definition, and the function that executes it; nil if it is none.
func (a *analysis) definition(st syntax.Statement) (string, func() error) {
	switch st := st.(type) {
	case *syntax.CreateTable:
		return "CREATE TABLE", func() error { return a.createTable(st) }
	case *syntax.AlterTable:
		return "ALTER " + st.Object, func() error { return a.alterTable(st) }
	case *syntax.CreateIndex:
		return "CREATE INDEX", func() error { return a.createIndex(st) }
	case *syntax.CreateSequence:
		return "CREATE SEQUENCE", func() error { return a.createSequence(st) }
	case *syntax.AlterSequence:
		return "ALTER SEQUENCE", func() error { return a.alterSequence(st) }
	case *syntax.CreateSchema:
		return "CREATE SCHEMA", func() error { return a.createSchema(st) }
	case *syntax.CreateExtension:
		return "CREATE EXTENSION", func() error { return a.createExtension(st) }
	case *syntax.CreateEnum:
		return "CREATE TYPE", func() error { return a.createEnum(st) }
	case *syntax.AlterEnum:
		return "ALTER TYPE", func() error { return a.alterEnum(st) }
	case *syntax.Drop:
		return "DROP " + st.Object, func() error { return a.drop(st) }
	case *syntax.CreateFunction:
		return "CREATE FUNCTION", func() error { return a.createFunction(st) }
	case *syntax.CreateTrigger:
		return "CREATE TRIGGER", func() error { return a.createTrigger(st) }
	}
	return "", nil
}

// maintenance is definition for statements that define nothing.
func (a *analysis) maintenance(st syntax.Statement) (string, func() error) {
	nothing := func() error { return nil }
	switch st := st.(type) {
	case *syntax.Truncate:
		return "TRUNCATE TABLE", func() error { return a.truncate(st) }
	case *syntax.LockTable:
		return "LOCK TABLE", func() error { return a.lockTables(st) }
	case *syntax.Maintain:
		return st.Word, func() error { return a.maintain(st) }
	case *syntax.Comment:
		return "COMMENT", nothing
	case *syntax.Grant:
		if st.Revoke {
			return "REVOKE", nothing
		}
		return "GRANT", nothing
	case *syntax.Do:
		return "DO", func() error { return a.do(st) }
	}
	return "", nil
}

// notice sends a notice.
func (a *analysis) notice(code, format string, args ...any) {
	a.backend.Client().Notice(pgerror.Notice(code, format, args...))
}

// tableModes are the modes of LOCK TABLE.
var tableModes = map[string]storage.TableMode{
	"ACCESS SHARE": storage.AccessShare, "ROW SHARE": storage.RowShare, "ROW EXCLUSIVE": storage.RowExclusive,
	"SHARE UPDATE EXCLUSIVE": storage.ShareUpdateExclusive, "SHARE": storage.ShareLock,
	"SHARE ROW EXCLUSIVE": storage.ShareRowExclusive, "EXCLUSIVE": storage.Exclusive, "ACCESS EXCLUSIVE": storage.AccessExclusive,
}

// lockTables is LOCK TABLE.
func (a *analysis) lockTables(st *syntax.LockTable) error {
	mode := tableModes[st.Mode]
	if !a.session.InBlock() {
		return pgerror.New(pgerror.NoActiveTransaction, "LOCK TABLE can only be used in transaction blocks")
	}
	if a.session.InRecovery() && mode > storage.RowExclusive {
		return pgerror.New(pgerror.ReadOnlyTransaction, "cannot execute LOCK TABLE during recovery")
	}
	for _, name := range st.Tables {
		t := a.lookup(name)
		if t == nil {
			return a.noTable(name)
		}
		if err := a.backend.LockTableExplicitly(t, mode, st.Nowait); err != nil {
			return err
		}
		if a.lookup(name) != t {
			return a.noTable(name)
		}
	}
	return nil
}

// noTable is noRelation without a position, as utility statements report it.
func (a *analysis) noTable(name syntax.Name) error {
	if err := a.noSchema(name); err != nil {
		return err
	}
	name.Pos = 0
	return a.noRelation(name)
}

// noSchema is the error about a name whose schema does not exist, as those report it that do not read the table; nil if it does.
func (a *analysis) noSchema(name syntax.Name) error {
	if name.Schema == "" || a.schemaExists(name.Schema) {
		return nil
	}
	return pgerror.New(pgerror.InvalidSchemaName, "schema %q does not exist", name.Schema)
}

// truncate is TRUNCATE.
func (a *analysis) truncate(st *syntax.Truncate) error {
	var list []*storage.Table
	for _, name := range st.Tables {
		t, err := a.openIfExists(name, storage.AccessExclusive)
		if err != nil {
			return err
		}
		if t == nil {
			return a.noTable(name)
		}
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, in := range a.incomingKeys(list[i]) {
			if slices.Contains(list, in.from) {
				continue
			}
			if !st.Cascade {
				return pgerror.New(pgerror.FeatureNotSupported, "cannot truncate a table referenced in a foreign key constraint").
					WithDetail("Table %q references %q.", in.from.Name, list[i].Name).
					WithHint("Truncate table %q at the same time, or use TRUNCATE ... CASCADE.", in.from.Name)
			}
			a.notice("00000", "truncate cascades to table %q", in.from.Name)
			if err := a.lock(in.from, storage.AccessExclusive); err != nil {
				return err
			}
			list = append(list, in.from)
		}
	}
	for _, t := range list {
		a.backend.Truncate(t)
		if err := a.lock(t, storage.ShareLock); err != nil { // for the new indexes
			return err
		}
		if st.RestartIdentity {
			if err := a.restart(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// restart sets the sequences of a table back to their starts.
func (a *analysis) restart(t *storage.Table) error {
	for _, c := range t.Columns {
		name := infoOf(c).Sequence
		if name.Name == "" || c.Dropped {
			continue
		}
		if q := a.sequence(name); q != nil {
			if err := a.backend.SetValue(q, q.Start, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// maintain is VACUUM, ANALYZE and their kin: they change nothing here, but lock tables.
func (a *analysis) maintain(st *syntax.Maintain) error {
	if strings.HasPrefix(st.Word, "VACUUM") && a.session.InBlock() {
		return pgerror.New(pgerror.ActiveTransaction, "VACUUM cannot run inside a transaction block")
	}
	mode := storage.ShareUpdateExclusive
	switch st.Word {
	case "REINDEX":
		mode = storage.ShareLock
	case "CLUSTER":
		mode = storage.AccessExclusive
	}
	for _, name := range st.Tables {
		t, err := a.openIfExists(name, mode)
		if err != nil {
			return err
		}
		if t == nil && st.Word != "REINDEX" {
			return a.noTable(name)
		}
	}
	return nil
}
