package simmysql

import "github.com/lockpick-dev/lockpick/model"

// observeBegin reports that a transaction has begun which a client has asked for: not one that
// is a single statement.
func (t *txn) observeBegin() {
	s := t.session
	t.told = s.conn != nil && (s.explicit || !s.autocommit)
	if t.told {
		s.node.observe(model.Observation{Kind: model.TransactionBegan, Session: s.name(), Owner: s.origin()})
	}
}

// observeEnd reports how such a transaction has ended.
func (t *txn) observeEnd(kind model.ObservationKind) {
	if s := t.session; t.told {
		s.node.observe(model.Observation{Kind: kind, Session: s.name(), Owner: s.origin()})
	}
}

// observeWait reports that the session waits for a lock, by the key of its record.
func (s *session) observeWait(key string) {
	if s.conn == nil {
		return // the server's own
	}
	s.awaits = key
	s.node.observe(model.Observation{Kind: model.WaitBegan, Session: s.name(), Owner: s.origin(), Awaits: key})
}

// observeWaited reports how the wait that it is in has ended.
func (s *session) observeWaited(kind model.ObservationKind) {
	if s.awaits == "" {
		return
	}
	s.node.observe(model.Observation{Kind: kind, Session: s.name(), Owner: s.origin(), Awaits: s.awaits})
	s.awaits = ""
}

// awaited is the key of the record that shows who has what is waited for. The end of an index
// has none.
func (e *entry) awaited() string {
	if e.row == nil {
		return "gap of " + e.index.table.name
	}
	return "lock of " + e.row.key()
}
