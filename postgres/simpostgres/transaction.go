package simpostgres

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"maps"
)

// levels are the isolation levels by their names in SQL.
var levels = map[string]storage.Isolation{
	"read uncommitted": storage.ReadCommitted, "read committed": storage.ReadCommitted,
	"repeatable read": storage.RepeatableRead, "serializable": storage.Serializable,
}

// startCommand begins a transaction for a request, unless there is one, and the time that the request may take.
func (s *session) startCommand() error {
	s.startTimeout()
	if s.back.Txn() != nil || s.block == failedBlock {
		return nil
	}
	c, err := s.settings.characteristics()
	if err != nil {
		return err
	}
	s.transaction, s.read = s.statement, s.present().stamp
	s.read.Seq = 0
	s.back.Begin(c)
	return nil
}

// finishCommand ends a request: the transaction too, unless it is a block.
func (s *session) finishCommand() error {
	s.timeout.Stop()
	switch {
	case s.ending != nil && s.conn != nil:
		return errTerminated() // by itself
	case s.back.Txn() == nil:
		return nil
	case s.block == openBlock:
		s.back.NextCommand()
		return nil
	case s.block != noBlock:
		return nil
	}
	return s.commit()
}

// commit commits the transaction, and then delivers its notifications.
func (s *session) commit() error {
	t, many := s.back.Txn(), s.block == openBlock
	s.block = noBlock
	changes := t.CurrentID() != 0
	commit := s.back.Commit
	if s.settings.show("synchronous_commit") == "off" {
		commit = s.back.CommitAsync
	}
	err := commit()
	if s.ending != nil && s.conn != nil {
		s.conn.out = nil
		panic(unwinding{}) // it was terminated while it waited for standbys: the commit is not answered
	}
	s.endTransaction()
	if err != nil {
		s.notifies = nil
		s.observeEnded(many, false)
		return err
	}
	s.committed = s.committed || many || changes
	s.observeEnded(many, true)
	s.publish()
	return nil
}

// abort rolls the transaction back, if there is one.
func (s *session) abort() {
	if s.back.Txn() == nil && s.block == noBlock {
		return
	}
	many := s.block == openBlock || s.block == failedBlock
	s.block = noBlock
	s.back.Abort(&storage.Ending{By: s.Origin()})
	s.endTransaction()
	s.notifies = nil
	s.observeEnded(many, false)
}

// endTransaction forgets what lives with a transaction.
func (s *session) endTransaction() {
	s.portals = map[string]*portal{}
	s.settings.endLocal()
	s.seen, s.chained = nil, nil
}

// isExit reports whether a statement may be executed in a transaction that has failed.
func isExit(st syntax.Statement) bool {
	t, ok := st.(*syntax.Transaction)
	return ok && (t.Kind == syntax.Commit || t.Kind == syntax.Rollback || t.Kind == syntax.RollbackTo)
}

// errFailedBlock is the answer to statements in a transaction that has failed.
func errFailedBlock() error {
	return pgerror.New(pgerror.InFailedTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}

// InBlock reports whether the statement is part of a transaction of several: after BEGIN, or with others in one message.
func (s *session) InBlock() bool { return s.block != noBlock }

// requireBlock returns an error if a statement is not in a transaction of several.
func (s *session) requireBlock(what string) error {
	if s.InBlock() {
		return nil
	}
	return pgerror.New(pgerror.NoActiveTransaction, "%s can only be used in transaction blocks", what)
}

// warnNoBlock warns if a statement, which has no effect then, is not in a transaction of several.
func (s *session) warnNoBlock(what string) {
	if err := s.requireBlock(what); err != nil {
		s.warn(pgerror.From(err))
	}
}

// preventBlock returns an error if a statement is in a transaction of several.
func (s *session) preventBlock(what string) error {
	switch {
	case s.InBlock():
		return pgerror.New(pgerror.ActiveTransaction, "%s cannot run inside a transaction block", what)
	case s.piped:
		return pgerror.New(pgerror.ActiveTransaction, "%s cannot be executed within a pipeline", what)
	}
	return nil
}

// warn sends a warning that an error was made of.
func (s *session) warn(e *pgerror.Error) {
	e.Severity = pgerror.SeverityWarning
	s.Notice(e)
}

// transact executes a statement that begins, ends or divides a transaction, and returns its tag.
func (s *session) transact(t *syntax.Transaction) (tag string, err error) {
	switch t.Kind {
	case syntax.Begin, syntax.StartTransaction:
		return s.beginBlock(t)
	case syntax.Commit:
		return s.endBlock(t)
	case syntax.Rollback:
		return s.rollbackBlock(t)
	}
	return s.divide(t)
}

// beginBlock is BEGIN.
func (s *session) beginBlock(t *syntax.Transaction) (string, error) {
	if s.block == openBlock {
		s.warn(pgerror.New(pgerror.ActiveTransaction, "there is already a transaction in progress"))
	}
	began := s.block != openBlock
	if err := s.setModes(t.Modes); err != nil {
		return "", err
	}
	s.block = openBlock
	if began {
		s.show(transactionBegan)
	}
	if t.Kind == syntax.StartTransaction {
		return "START TRANSACTION", nil
	}
	return "BEGIN", nil
}

// endBlock is COMMIT.
func (s *session) endBlock(t *syntax.Transaction) (string, error) {
	c := s.characteristics()
	switch s.block {
	case openBlock:
		if err := s.commit(); err != nil {
			return "", err
		}
		s.chain(t, c)
		return "COMMIT", nil
	case failedBlock:
		s.abort()
		s.chain(t, c)
		return "ROLLBACK", nil
	}
	if t.Chain {
		return "", pgerror.New(pgerror.NoActiveTransaction, "COMMIT AND CHAIN can only be used in transaction blocks")
	}
	s.warn(pgerror.New(pgerror.NoActiveTransaction, "there is no transaction in progress"))
	return "COMMIT", s.commit()
}

// rollbackBlock is ROLLBACK.
func (s *session) rollbackBlock(t *syntax.Transaction) (string, error) {
	if s.block != openBlock && s.block != failedBlock {
		if t.Chain {
			return "", pgerror.New(pgerror.NoActiveTransaction, "ROLLBACK AND CHAIN can only be used in transaction blocks")
		}
		s.warn(pgerror.New(pgerror.NoActiveTransaction, "there is no transaction in progress"))
	}
	c := s.characteristics()
	s.abort()
	s.chain(t, c)
	return "ROLLBACK", nil
}

// characteristics returns those of the present transaction, for the next one by AND CHAIN. One that has failed outside of
// savepoints has those again with which it began: of the settings, or of the transaction before if AND CHAIN has begun it.
func (s *session) characteristics() storage.Characteristics {
	t := s.back.Txn()
	failed := s.block == failedBlock && t != nil && t.Depth() == 0
	if failed && s.chained != nil {
		return *s.chained
	}
	if t == nil || failed {
		c, err := s.settings.characteristics()
		if err == nil {
			return c
		}
	}
	if t != nil {
		return t.Characteristics
	}
	return storage.Characteristics{}
}

// nested reports whether the transaction has savepoints.
func (s *session) nested() bool {
	t := s.back.Txn()
	return t != nil && t.Depth() > 0
}

// chain begins another transaction like the one before: AND CHAIN.
func (s *session) chain(t *syntax.Transaction, c storage.Characteristics) {
	if t.Chain {
		s.transaction = s.statement
		s.back.Begin(c)
		s.block, s.chained = openBlock, &c
		s.show(transactionBegan)
	}
}

// divide executes a statement about savepoints.
func (s *session) divide(t *syntax.Transaction) (tag string, err error) {
	what := map[syntax.TransactionKind]string{syntax.Savepoint: "SAVEPOINT", syntax.Release: "RELEASE SAVEPOINT", syntax.RollbackTo: "ROLLBACK TO SAVEPOINT"}[t.Kind]
	if s.block != openBlock && s.block != failedBlock {
		return "", pgerror.New(pgerror.NoActiveTransaction, "%s can only be used in transaction blocks", what)
	}
	switch t.Kind {
	case syntax.Savepoint:
		s.back.Savepoint(t.Name)
		return "SAVEPOINT", nil
	case syntax.Release:
		return "RELEASE", s.back.Release(t.Name)
	}
	if err := s.back.RollbackTo(t.Name); err != nil {
		return "", err
	}
	s.block = openBlock
	depth := s.depth()
	maps.DeleteFunc(s.portals, func(_ string, o *portal) bool { return o.depth >= depth }) // made since the savepoint
	return "ROLLBACK", nil
}

// setModes sets modes of the present transaction.
func (s *session) setModes(m syntax.TransactionModes) error {
	if m.Isolation != "" {
		if err := s.settings.setTransaction("transaction_isolation", m.Isolation); err != nil {
			return err
		}
	}
	if m.ReadOnly != nil {
		if err := s.settings.setTransaction("transaction_read_only", onOff(*m.ReadOnly)); err != nil {
			return err
		}
	}
	if m.Deferrable != nil {
		return s.settings.setTransaction("transaction_deferrable", onOff(*m.Deferrable))
	}
	return nil
}

// onOff returns the value of a setting that is a bool.
func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
