package simpostgres

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
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
		s.node.Observe(model.Observation{Kind: model.Noted, Owner: s.Origin(), Note: n.Of(s.name())})
	}
}

// showSession reports something about the session that no request of its client has caused.
func (s *session) showSession(n *model.Note) {
	o := s.opener
	s.node.Observe(model.Observation{Kind: model.Noted, Owner: o, Note: n})
}

// observeBegin reports that a client has logged in.
func (s *session) observeBegin() {
	s.opener = s.origin
	s.opener.Op = 0
	s.showSession(connections.Opened(s.name(), 0))
}

// observeEnd reports the end of the session.
func (s *session) observeEnd(end *storage.Ending) {
	if s.conn == nil {
		return
	}
	note := connections.Closed(s.name())
	if end != nil && end.Kind != "" && end.Kind != model.RecordDeleted {
		note = connections.Expired(s.name())
	}
	s.showSession(note)
}

// observeEnded reports how a transaction that a client has begun has ended, as opposed to
// one that is a single statement.
func (s *session) observeEnded(many, committed bool) {
	switch {
	case !many:
	case committed:
		s.show(transactionCommitted)
	default:
		s.show(transactionRolledBack)
	}
}

// Waits reports that the session waits for a lock at a place.
func (s *session) Waits(place storage.Place) {
	key := placeKey(place)
	if s.conn == nil || key == "" {
		return
	}
	s.awaits = key
	s.showWait(waitBegan)
}

// Waited reports how that wait has ended.
func (s *session) Waited(granted bool) {
	if granted {
		s.observeWaited(waitGranted)
	} else {
		s.observeWaited(waitEnded)
	}
}

// Deadlocked reports that the session's wait is refused, because of a circle of backends of which each waits for the
// next: the session's is the first, and the only one if others are in it as well.
func (s *session) Deadlocked(circle []*storage.Backend) {
	n := waitRefused
	if len(circle) > 1 {
		n.Label, n.Text = "deadlock", "{node} refuses {owner}'s request: {refs} would wait for each other for ever"
		for _, o := range circle {
			n.Refs = append(n.Refs, o.Client().(*session).name())
		}
	}
	s.observeWaited(n)
	s.show(transactionDeadlocked)
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
