package simmysql

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// The notes that the server makes about connections, transactions and waits.
var (
	connections = server.Sessions{Noun: "connection", Ends: "ends", Ended: "ended"}

	transactionBegan = model.Note{
		Event: "transaction-began", Place: model.PlaceInside, Phase: model.PhaseBegins,
		Title: "{owner}'s transaction", Unended: "It is open when the run ends.",
	}
	transactionCommitted  = model.Note{Event: "transaction-committed", Place: model.PlaceInside, Phase: model.PhaseEnds, Line: "It is committed."}
	transactionRolledBack = model.Note{
		Event: "transaction-rolled-back", Place: model.PlaceInside, Phase: model.PhaseEnds, Bad: true,
		Label: "transaction rolled back", Short: "rolled back", Line: "It is rolled back.",
	}
	transactionDeadlocked = model.Note{
		Event: "transaction-deadlocked", Bad: true, Text: "{node} ends {owner}'s transaction because of a deadlock",
	}

	waitBegan = model.Note{
		Event: "wait-began", Place: model.PlaceRecord, Phase: model.PhaseBegins,
		Title: "{owner} waits for {held}", Unended: "It still waits when the run ends.",
	}
	waitGranted = model.Note{Event: "wait-granted", Place: model.PlaceRecord, Phase: model.PhaseEnds, Line: "Then it has it."}
	waitEnded   = model.Note{
		Event: "wait-ended", Place: model.PlaceRecord, Phase: model.PhaseEnds, Line: "Then it gives up, or has waited for too long.",
	}
	waitRefused = model.Note{
		Event: "wait-refused", Place: model.PlaceRecord, Phase: model.PhaseEnds, Bad: true,
		Line: "It is refused: those who wait would wait for each other for ever.", Text: "{node} lets {owner} not wait for {record}",
	}
)

// show reports something about the session, in the words of a note.
func (s *session) show(n model.Note) {
	if s.conn != nil { // it is not the server's own
		s.node.observe(model.Observation{Kind: model.Noted, Owner: s.Origin(), Note: n.Of(s.name())})
	}
}

// observeBegin reports that a client has logged in.
func (s *session) observeBegin() {
	s.node.observe(model.Observation{Kind: model.Noted, Owner: s.conn.by(nil), Note: connections.Opened(s.name(), 0)})
}

// observeEnd reports the end of the session.
func (s *session) observeEnd(end *sql.Ending) {
	if s.conn == nil {
		return
	}
	note := connections.Closed(s.name())
	if end != nil && end.Kind != model.RecordDeleted {
		note = connections.Expired(s.name())
	}
	s.node.observe(model.Observation{Kind: model.Noted, Owner: s.conn.by(nil), Note: note})
}

// Began reports that a transaction has begun that a client has asked for, as opposed to
// one that is a single statement.
func (s *session) Began(*sql.Txn) { s.show(transactionBegan) }

// Ended reports how such a transaction has ended.
func (s *session) Ended(_ *sql.Txn, committed bool) {
	if committed {
		s.show(transactionCommitted)
	} else {
		s.show(transactionRolledBack)
	}
}

// Deadlocked reports that the session's transaction is ended because of a deadlock.
func (s *session) Deadlocked() { s.show(transactionDeadlocked) }

// Waits reports that the session waits for the lock on a row, on a gap or on a table.
func (s *session) Waits(place sql.Place) { s.observeWait(lockKey(place)) }

// Waited reports how that wait has ended.
func (s *session) Waited(granted bool) {
	if granted {
		s.observeWaited(waitGranted)
	} else {
		s.observeWaited(waitEnded)
	}
}

// Refused reports that the wait is refused, because of a circle of sessions of which each waits for the
// next: the session is the first. The circle is empty if others are in it as well.
func (s *session) Refused(circle []sql.Watcher) {
	n := waitRefused
	if len(circle) > 0 {
		n.Label, n.Text = "deadlock", "{node} refuses {owner}'s request: {refs} would wait for each other for ever"
		for _, o := range circle {
			n.Refs = append(n.Refs, o.(*session).name())
		}
	}
	s.observeWaited(n)
}

// observeWait reports that the session waits for a lock, by the key of its record.
func (s *session) observeWait(key string) {
	if s.conn == nil {
		return // the server's own
	}
	s.awaits = key
	s.showWait(waitBegan)
}

// observeWaited reports how the wait that it is in has ended.
func (s *session) observeWaited(n model.Note) {
	if s.awaits == "" {
		return
	}
	s.showWait(n)
	s.awaits = ""
}

func (s *session) showWait(n model.Note) {
	n.Record, n.Detail = s.awaits, s.awaits
	s.show(n)
}
