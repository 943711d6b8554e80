package sql

import (
	"slices"
	"strings"
)

// Statements that lock tables as a whole.
type (
	// LockTables is LOCK TABLES. It commits the open transaction.
	LockTables struct{ Tables []LockedTable }
	// UnlockTables is UNLOCK TABLES. It commits the open transaction if tables are locked.
	UnlockTables struct{}
)

// LockedTable is a table that LOCK TABLES names.
type LockedTable struct {
	Name string
	// Write reserves the table for the session. Otherwise all sessions may read it, and none may
	// write it.
	Write bool
}

// Name is LOCK TABLES.
func (*LockTables) Name() string { return "LOCK TABLES" }

// Name is UNLOCK TABLES.
func (*UnlockTables) Name() string { return "UNLOCK TABLES" }

// Run locks the tables, in the order of their names, so that two such statements do not wait for each other. Tables to
// read are first used as by a SELECT, and protected from changes once the session has all tables, as in MariaDB.
func (l *LockTables) Run(x *Execution) (*Result, error) {
	s := x.session
	if x.progress == nil {
		if err := l.begin(s); err != nil {
			return nil, err
		}
		x.progress = l
	}
	list := slices.Clone(l.Tables)
	slices.SortFunc(list, func(a, b LockedTable) int { return strings.Compare(tableKey(a.Name), tableKey(b.Name)) })
	for _, t := range list {
		u := reading
		if t.Write {
			u = owning
		}
		if err := s.claim(t.Name, u, s.TableWait, true); err != nil {
			return nil, err
		}
	}
	if err := l.finish(x); err != nil {
		return nil, err
	}
	s.locksTables = true
	return &Result{}, nil
}

// finish finds the tables, which the session has got, and protects those to read from changes.
func (l *LockTables) finish(x *Execution) error {
	for _, t := range l.Tables {
		if _, err := x.find(t.Name); err != nil {
			return err
		}
	}
	for _, t := range l.Tables {
		if err := x.session.mayWrite(); t.Write && err != nil {
			return err
		}
		if err := x.session.claim(t.Name, freezing, x.session.TableWait, true); err != nil {
			return err
		}
	}
	return nil
}

// begin gives up the session's tables, and checks the statement.
func (l *LockTables) begin(s *Session) error {
	s.UnlockTables(&Ending{By: s.client.Origin()})
	if err := s.commitOpen(); err != nil {
		return err
	}
	if s.Database == "" {
		return Fail(NoDatabase)
	}
	for i, t := range l.Tables {
		if slices.ContainsFunc(l.Tables[:i], func(o LockedTable) bool { return tableKey(o.Name) == tableKey(t.Name) }) {
			return Fail(NotUnique, t.Name)
		}
	}
	return nil
}

// Run gives the tables up.
func (*UnlockTables) Run(x *Execution) (*Result, error) {
	s := x.session
	if s.locksTables {
		if err := s.commitOpen(); err != nil {
			return nil, err
		}
		s.UnlockTables(&Ending{By: s.client.Origin()})
	}
	return &Result{}, nil
}
