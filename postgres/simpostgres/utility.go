package simpostgres

import (
	"maps"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/executor"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// isUtility reports whether the session executes a statement itself.
func isUtility(st syntax.Statement) bool {
	switch st.(type) {
	case *syntax.Transaction, *syntax.SetTransaction, *syntax.Set, *syntax.Reset, *syntax.Show, *syntax.Discard,
		*syntax.Listen, *syntax.Unlisten, *syntax.Notify, *syntax.Prepare, *syntax.Execute, *syntax.Deallocate:
		return true
	}
	return false
}

// utility executes a statement that the session executes itself. It returns false for others.
func (s *session) utility(st syntax.Statement) (ok bool, r *result, err error) {
	if !isUtility(st) {
		return false, nil, nil
	}
	r = &result{}
	switch t := st.(type) {
	case *syntax.Transaction:
		r.tag, err = s.transact(t)
	case *syntax.SetTransaction:
		r.tag, err = "SET", s.setTransaction(t)
	case *syntax.Set:
		r.tag, err = "SET", s.set(t)
	case *syntax.Reset:
		r.tag, err = "RESET", s.settings.reset(t.Name)
	case *syntax.Show:
		r.tag = "SHOW"
		r.columns, r.rows, err = s.settings.rows(t.Name)
	case *syntax.Discard:
		r.tag, err = "DISCARD "+t.What, s.discard(t.What)
	case *syntax.Prepare:
		r.tag, err = "PREPARE", s.prepare(t)
	case *syntax.Execute:
		r, err = s.executePrepared(t)
	case *syntax.Deallocate:
		r.tag, err = s.deallocate(t.Name)
	default:
		r.tag, err = s.notification(st)
	}
	if _, isExecute := st.(*syntax.Execute); !isExecute {
		s.back.NextCommand()
	}
	return true, r, err
}

// setTransaction is SET TRANSACTION, and SET SESSION CHARACTERISTICS.
func (s *session) setTransaction(t *syntax.SetTransaction) error {
	if !t.Session {
		s.warnNoBlock("SET TRANSACTION")
		return s.setModes(t.Modes)
	}
	if t.Modes.Isolation != "" {
		if err := s.settings.set("default_transaction_isolation", t.Modes.Isolation, false); err != nil {
			return err
		}
	}
	if t.Modes.ReadOnly != nil {
		if err := s.settings.set("default_transaction_read_only", onOff(*t.Modes.ReadOnly), false); err != nil {
			return err
		}
	}
	if t.Modes.Deferrable != nil {
		return s.settings.set("default_transaction_deferrable", onOff(*t.Modes.Deferrable), false)
	}
	return nil
}

// set is SET.
func (s *session) set(t *syntax.Set) error {
	if t.Local {
		s.warnNoBlock("SET LOCAL")
	}
	if t.Default {
		return s.settings.setDefault(t.Name, t.Local)
	}
	v := settingOf(t.Name)
	list := make([]string, len(t.Values))
	for i, value := range t.Values {
		list[i] = value.Text
		if v != nil && v.kind == listSetting {
			list[i] = quotedName(value.Text)
		}
	}
	if len(list) > 1 && (v == nil || v.kind != listSetting && v.name != "DateStyle") {
		return pgerror.New(pgerror.InvalidParameterValue, "SET %s takes only one argument", t.Name)
	}
	return s.settings.set(t.Name, strings.Join(list, ", "), t.Local)
}

// discard is DISCARD.
func (s *session) discard(what string) error {
	switch what {
	case "ALL":
		if err := s.preventBlock("DISCARD ALL"); err != nil {
			return err
		}
		s.portals = map[string]*portal{}
		if err := s.settings.reset("all"); err != nil {
			return err
		}
		s.deallocateAll()
		s.unlisten("*")
		s.back.AdvisoryUnlockAll()
		s.back.DiscardSequences()
	case "SEQUENCES":
		s.back.DiscardSequences()
	}
	return nil
}

// prepare is PREPARE.
func (s *session) prepare(t *syntax.Prepare) error {
	p := &prepared{name: t.Name, text: s.text, statement: t.Query}
	for _, n := range t.Types {
		oid, err := executor.TypeOf(s, n)
		if err != nil {
			return err
		}
		p.types = append(p.types, oid)
	}
	if err := s.analyse(p); err != nil {
		return err
	}
	return s.keep(p)
}

// executePrepared is EXECUTE.
func (s *session) executePrepared(t *syntax.Execute) (*result, error) {
	p, err := s.find(t.Name)
	if err != nil {
		return nil, err
	}
	want := p.paramTypes()
	if len(t.Args) != len(want) {
		return nil, pgerror.New(pgerror.SyntaxError, "wrong number of parameters for prepared statement %q", t.Name).
			WithDetail("Expected %d parameters but got %d.", len(want), len(t.Args))
	}
	var params []types.Value
	if len(want) > 0 {
		if params, err = executor.Evaluate(s, t.Args, want); err != nil {
			return nil, err
		}
	}
	if isUtility(p.statement) {
		return nil, pgerror.Lacks("EXECUTE of a statement about the session")
	}
	return s.run(p, params, false)
}

// deallocateAll forgets the statements that have names.
func (s *session) deallocateAll() {
	maps.DeleteFunc(s.statements, func(name string, _ *prepared) bool { return name != "" })
}

// deallocate is DEALLOCATE.
func (s *session) deallocate(name string) (tag string, err error) {
	if name == "" {
		s.deallocateAll()
		return "DEALLOCATE ALL", nil
	}
	if _, err := s.find(name); err != nil {
		return "", err
	}
	delete(s.statements, name)
	return "DEALLOCATE", nil
}

// strengths are the names of row locks, of SELECT ... FOR.
var strengths = map[syntax.Strength]string{
	syntax.ForUpdate: "UPDATE", syntax.ForNoKeyUpdate: "NO KEY UPDATE", syntax.ForShare: "SHARE", syntax.ForKeyShare: "KEY SHARE",
}

// transactionNames are the names of the statements that begin, end or divide transactions.
var transactionNames = map[syntax.TransactionKind]string{
	syntax.Begin: "BEGIN", syntax.StartTransaction: "BEGIN", syntax.Commit: "COMMIT", syntax.Rollback: "ROLLBACK",
	syntax.Savepoint: "SAVEPOINT", syntax.RollbackTo: "ROLLBACK TO", syntax.Release: "RELEASE",
}

// requestName returns the name of a statement for [Node.Meter].
func requestName(st syntax.Statement) string {
	switch t := st.(type) {
	case *syntax.Select:
		switch {
		case len(t.Locking) > 0:
			return "SELECT ... FOR " + strengths[t.Locking[0].Strength]
		case len(t.Items) == 1:
			if c, ok := t.Items[0].Expr.(*syntax.Call); ok && (strings.Contains(c.Name, "advisory") || c.Name == "pg_notify" || c.Name == "pg_sleep") {
				return c.Name
			}
		}
		return "SELECT"
	case *syntax.Insert:
		return "INSERT"
	case *syntax.Update:
		return "UPDATE"
	case *syntax.Delete:
		return "DELETE"
	case *syntax.LockTable:
		return "LOCK TABLE"
	case *syntax.Transaction:
		return transactionNames[t.Kind]
	case *syntax.Set, *syntax.SetTransaction, *syntax.Reset:
		return "SET"
	case *syntax.Listen, *syntax.Unlisten:
		return "LISTEN"
	case *syntax.Notify:
		return "NOTIFY"
	}
	return "UTILITY"
}
