package sampletraces

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// database is the only server.
const database = "mysql1"

// rows of which a lock needs both.
const (
	rowA = "lock of locks/a"
	rowB = "lock of locks/b"
)

// transaction is what a client does on one connection to a database, in one transaction.
type transaction struct {
	*Stage
	session string
	owner   model.Origin
}

// begin opens a connection and begins a transaction on it for an acquisition.
func (s *Stage) begin(at time.Duration, a *model.Operation, session string) *transaction {
	s.conns++
	x := &transaction{s, session, model.Origin{Client: a.Client, Conn: s.conns, Op: a.ID}}
	x.addNote(at, "session-opened", "")
	there, _ := s.Ask(at+us, a.Client, database, x.owner.Conn, []byte("BEGIN"), []byte("ok"))
	x.addNote(there, "transaction-began", "")
	return x
}

// addNote adds a note of the transaction, or of the record that it waits for, with those that wait in a circle.
func (x *transaction) addNote(at time.Duration, event, record string, circle ...*transaction) {
	n := note(event, "connection", "ends", "ended")
	n.Subject, n.Record, n.Detail = x.session, record, record
	for _, o := range circle {
		n.Refs = append(n.Refs, o.session)
	}
	if event == "session-opened" {
		n.Line = "It was opened at {at}."
	}
	x.See(at, model.Observation{Node: database, Authority: database, Kind: model.Noted, Owner: x.owner, Note: n})
}

// lock adds the locking or unlocking of a row.
func (x *transaction) lock(at time.Duration, kind model.ObservationKind, key string) {
	x.See(at, model.Observation{
		Node: database, Authority: database, Kind: kind, Key: key, Value: x.session, Session: x.session, Owner: x.owner, By: x.owner,
	})
}

// asks adds the statement that locks a row, and returns when it arrives.
func (x *transaction) asks(at time.Duration, row string) time.Duration {
	return x.Send(at, x.owner.Client, database, x.owner.Conn, []byte("SELECT … WHERE name = '"+row+"' FOR UPDATE"), 280*us, false)
}

// answers adds the answer, and returns when it arrives.
func (x *transaction) answers(at time.Duration, text string) time.Duration {
	return x.Send(at, database, x.owner.Client, x.owner.Conn, []byte(text), 290*us, false)
}

// Deadlock returns a lock of two rows that c1 takes in one order and c2 in the other. The database
// rolls c2's transaction back, and c2 takes the error for a success.
func Deadlock() *traces.Trace {
	s := NewStage("contention", "two-rows", 3)
	s.T.Store, s.T.Property = "mysql", "mutual-exclusion"
	s.T.Terms = model.Terms{Store: "MySQL", Node: "server", Serving: "primary", Follower: "replica", Record: "record", Session: "connection"}
	s.T.Made = traces.Versions{"lockpick": "v0.2.0", "go": "go1.26.8", "go-sql-driver/mysql": "v1.10.1"}
	s.T.Actors = append(s.T.Actors[:3], traces.Actor{Name: database, Kind: traces.NodeActor}, traces.Actor{Name: "register", Kind: traces.ResourceActor})
	serves := Role(database, model.RoleServing, 0)
	serves.Authority = database
	s.See(0, serves)

	a1 := s.Call(5*ms, "c1", model.Acquire, nil)
	one := s.begin(6*ms, a1, "connection 1")
	one.lock(one.asks(10*ms, "a"), model.RecordCreated, rowA)
	a2 := s.Call(30*ms, "c2", model.Acquire, nil)
	two := s.begin(31*ms, a2, "connection 2")
	two.lock(two.asks(35*ms, "b"), model.RecordCreated, rowB)
	a3 := s.Call(60*ms, "c3", model.Acquire, nil)
	three := s.begin(61*ms, a3, "connection 3")
	three.addNote(three.asks(65*ms, "a"), "wait-began", rowA)

	one.addNote(one.asks(300*ms, "b"), "wait-began", rowB)
	closes := two.asks(500*ms, "a")
	two.addNote(closes, "wait-began", rowA)
	two.addNote(closes+us, "wait-refused", rowA, two, one)
	two.addNote(closes+2*us, "transaction-rolled-back", "")
	two.lock(closes+3*us, model.RecordDeleted, rowB)
	one.addNote(closes+4*us, "wait-granted", rowB)
	one.lock(closes+5*us, model.RecordCreated, rowB)
	back := one.answers(closes+10*us, "1 row")
	s.Answer(back, a1, model.OK)
	s.Answer(two.answers(closes+15*us, "error 1213 Deadlock found"), a2, model.OK)
	s.Access(back+20*ms, a1, 101, model.Read, 0)
	s.Access(back+30*ms, a2, 102, model.Read, 0)
	s.Access(back+200*ms, a1, 101, model.Write, 1)
	s.Access(back+300*ms, a2, 102, model.Write, 1)

	s.T.History.Keys = []string{rowA, rowB}
	t := s.Build()
	t.Verdicts = []model.Verdict{
		{Property: "mutual-exclusion", Status: model.Violated, Operations: []int{a1.ID, a2.ID}, From: a2.Return, To: t.History.Operations[len(t.History.Operations)-1].Call,
			Sentence: "c1 and c2 both held the lock for 300ms: the store had not granted it to c2."},
		{Property: "truthful-acquire", Status: model.Violated, Sentence: "c2 was told that it had acquired the lock, which the store had not given to it."},
		{Property: "owner-only-release", Status: model.Holds},
	}
	return t
}
