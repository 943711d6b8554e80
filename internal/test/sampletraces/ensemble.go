package sampletraces

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// leader and followers are the servers of the ensemble, and authority is its name.
const (
	leader    = "zk1"
	authority = "ZooKeeper"
)

var followers = []string{"zk2", "zk3"}

// Ensemble is a stage with a ZooKeeper ensemble of three servers, led by the first.
type Ensemble struct {
	*Stage
	created int64 // znodes
}

// NewEnsemble makes a stage for a number of clients, with an ensemble and a register.
func NewEnsemble(scenario, lock string, clients int) *Ensemble {
	s := NewStage(scenario, lock, clients)
	s.T.Store = "zookeeper"
	s.T.Terms = model.Terms{Store: authority, Node: "server", Serving: "leader", Follower: "follower", Record: "znode", Session: "session"}
	s.T.Made = traces.Versions{"lockpick": "v0.2.0", "go": "go1.26.8", "go-zookeeper/zk": "v1.0.4"}
	s.T.Actors = s.T.Actors[:clients]
	for _, name := range append([]string{leader}, followers...) {
		s.T.Actors = append(s.T.Actors, traces.Actor{Name: name, Kind: traces.NodeActor})
	}
	s.T.Actors = append(s.T.Actors, traces.Actor{Name: "register", Kind: traces.ResourceActor})
	e := &Ensemble{Stage: s}
	serves := Role(leader, model.RoleServing, 1)
	serves.Authority = authority
	e.See(0, serves)
	return e
}

// Session is a session of a client.
type Session struct {
	Name, Node string
	Owner      model.Origin
}

// Open opens a session at a server.
func (e *Ensemble) Open(at time.Duration, client, node, name string) *Session {
	e.conns++
	x := &Session{name, node, model.Origin{Client: client, Conn: e.conns}}
	e.Event(at+300*us, sim.Event{Kind: sim.EventDial, Actor: node, Peer: client, Conn: e.conns})
	e.Tell(at+900*us, "session-opened", x)
	e.Send(at+900*us, node, client, e.conns, []byte("session "+name), 280*us, false)
	return x
}

// Tell adds a note of a session. One lease after it, a session that is open ends.
func (e *Ensemble) Tell(at time.Duration, event string, x *Session) {
	o := model.Observation{Node: x.Node, Kind: model.Noted, Owner: x.Owner, Note: note(event, "session", "expires", "expired")}
	o.Note.Subject = x.Name
	if event != "session-refused" {
		o.Authority = authority
	}
	switch event {
	case "session-opened":
		o.ExpiresAt = at + e.T.History.TTL
	case "session-renewed":
		o.Node, o.ExpiresAt = leader, at+e.T.History.TTL
	case "session-expired":
		o.Node = leader
	}
	e.See(at, o)
}

// keep adds renewals of a session from one time to another.
func (e *Ensemble) keep(from, to time.Duration, x *Session) {
	for at := from; at < to; at += 640 * ms {
		e.Tell(e.Send(at, x.Owner.Client, x.Node, x.Owner.Conn, []byte("ping"), 290*us, false), "session-renewed", x)
	}
}

// commit adds a change of a znode: at the leader, and at each follower when it learns of it.
func (e *Ensemble) commit(at time.Duration, o model.Observation) {
	o.Node, o.Authority = leader, authority
	e.See(at, o)
	for i, f := range followers {
		o.Node, o.Authority, o.ExpiresAt = f, "", 0
		arrives := e.Send(at, leader, f, 0, []byte("commit"), time.Duration(190+15*i)*us, false)
		e.See(arrives, o)
	}
}

// Create adds the creation of the next znode in the queue for an operation.
func (e *Ensemble) Create(at time.Duration, x *Session, op *model.Operation) (key string, back time.Duration) {
	key = fmt.Sprintf("/lock/n-%010d", e.created)
	e.created++
	there, back := e.Ask(at, x.Owner.Client, x.Node, x.Owner.Conn, []byte("create /lock/n-"), []byte("ok "+key))
	by := model.Origin{Client: x.Owner.Client, Conn: x.Owner.Conn, Op: op.ID}
	e.commit(there+5*us, model.Observation{
		Kind: model.RecordCreated, Key: key, Session: x.Name, Revision: 1<<32 + e.created, Owner: by, By: by, ExpiresAt: at + e.T.History.TTL,
	})
	return key, back
}

// watch adds a request that sets a watch.
func (e *Ensemble) watch(at time.Duration, x *Session, op *model.Operation, key string) {
	there, _ := e.Ask(at, x.Owner.Client, x.Node, x.Owner.Conn, []byte("getData "+key+", watch"), []byte("ok"))
	owner := model.Origin{Client: x.Owner.Client, Conn: x.Owner.Conn, Op: op.ID}
	n := note("watch-set", "", "", "")
	n.Subject, n.Record = key, key
	e.See(there+5*us, model.Observation{Node: x.Node, Kind: model.Noted, Owner: owner, Note: n})
}

// fire adds the notice to a client that the record it watches was deleted, and returns when it arrives.
func (e *Ensemble) fire(at time.Duration, x *Session, key string, by model.Origin) time.Duration {
	n := note("watch-fired", "", "", "")
	n.Subject, n.Record, n.Refs = key, key, []string{key}
	e.See(at, model.Observation{Node: x.Node, Kind: model.Noted, Owner: x.Owner, By: by, Note: n})
	return e.Send(at, x.Node, x.Owner.Client, x.Owner.Conn, []byte("event: "+key+" deleted"), 280*us, false)
}

// gone adds the end of a znode.
func (e *Ensemble) gone(at time.Duration, kind model.ObservationKind, key string, x *Session, acquire *model.Operation, by model.Origin) {
	owner := model.Origin{Client: x.Owner.Client, Conn: x.Owner.Conn, Op: acquire.ID}
	e.commit(at, model.Observation{Kind: kind, Key: key, Session: x.Name, Owner: owner, By: by})
}

// Unlock adds a release that deletes its znode, and returns when that is done and when the
// client has the answer.
func (e *Ensemble) Unlock(at time.Duration, x *Session, acquire *model.Operation, key string) (done time.Duration, by model.Origin) {
	o := e.Call(at, x.Owner.Client, model.Release, acquire)
	there, back := e.Ask(at+15*us, x.Owner.Client, x.Node, x.Owner.Conn, []byte("delete "+key), []byte("ok"))
	by = model.Origin{Client: x.Owner.Client, Conn: x.Owner.Conn, Op: o.ID}
	e.gone(there+5*us, model.RecordDeleted, key, x, acquire, by)
	e.Answer(back+400*us, o, model.OK)
	return there + 400*us, by
}

// DoubleGrant returns a run in which a waiter is paused beyond its session. Its znode is gone when it checks, in its next
// session, who is first in the queue, and it only checks whether any znode precedes its own.
func DoubleGrant() *traces.Trace {
	e := NewEnsemble("gc-pause", "zklib", 3)
	e.T.Property = "mutual-exclusion"
	one := e.Open(500*us, "c1", "zk2", "0x200000000000001")
	two := e.Open(800*us, "c2", "zk3", "0x300000000000001")
	three := e.Open(950*us, "c3", "zk2", "0x200000000000002")
	e.keep(610*ms, 3900*ms, one)
	e.keep(250*ms, 260*ms, two)
	e.keep(640*ms, 3900*ms, three)

	a1 := e.Call(10*ms, "c1", model.Acquire, nil)
	key1, back := e.Create(10*ms+20*us, one, a1)
	e.Answer(back+500*us, a1, model.OK)
	a2 := e.Call(30*ms, "c2", model.Acquire, nil)
	key2, back := e.Create(30*ms+20*us, two, a2)
	e.watch(back+400*us, two, a2, key1)
	back = e.Access(40*ms, a1, 101, model.Read, 0)
	e.Access(back+390*ms, a1, 101, model.Write, 1)
	e.See(300*ms, model.Observation{Node: "c2", Kind: model.Paused, For: 2800 * ms})
	deleted, by := e.Unlock(1000*ms, one, a1, key1)
	e.fire(deleted, two, key1, by)

	a3 := e.Call(1900*ms, "c3", model.Acquire, nil)
	key3, back := e.Create(1900*ms+20*us, three, a3)
	e.watch(back+400*us, three, a3, key2)
	e.Tell(2251*ms, "session-expired", two)
	e.gone(2251*ms+us, model.RecordExpired, key2, two, a2, model.Origin{})
	told := e.fire(2251*ms+300*us, three, key2, model.Origin{})
	e.Answer(told+700*us, a3, model.OK)
	e.Access(told+900*us, a3, 103, model.Read, 1)

	e.See(3100*ms, model.Observation{Node: "c2", Kind: model.Resumed})
	two.Node, two.Owner.Conn = "zk1", 50
	e.Tell(3101*ms, "session-refused", two)
	e.Send(3101*ms, "zk1", "c2", 50, []byte("session expired"), 280*us, false)
	again := e.Open(3102*ms, "c2", "zk1", "0x100000000000001")
	_, listed := e.Ask(3104*ms, "c2", "zk1", again.Owner.Conn, []byte("getChildren /lock"), []byte("ok n-0000000002"))
	e.Answer(listed+5*us, a2, model.OK)
	e.Access(listed+900*us, a2, 102, model.Read, 1)
	e.Access(3320*ms, a3, 103, model.Write, 2)
	e.Access(3620*ms, a2, 102, model.Write, 2)
	e.Unlock(3720*ms, three, a3, key3)

	e.T.History.Keys = []string{key1, key2, key3}
	t := e.Build()
	granted := slices.IndexFunc(t.History.Observations, func(o model.Observation) bool { return o.Key == key3 && o.Authority != "" })
	t.Verdicts = []model.Verdict{
		{Property: "mutual-exclusion", Status: model.Violated, Cause: "never-granted", Operations: []int{a2.ID, a3.ID}, Observations: []int64{t.History.Observations[granted].Seq}, From: a2.Return, To: t.History.Operations[len(t.History.Operations)-1].Call,
			Sentence: "c3 and c2 both held the lock for 615ms: the store had not granted it to c2, but to c3."},
		{Property: "truthful-acquire", Status: model.Violated, Sentence: "c2 was told that it had acquired the lock, which the store had not given to it, but to c3."},
		{Property: "no-lost-update", Status: model.Violated, Sentence: "c3's update to 2 was lost, because c2 had read 1 and wrote 2 over it."},
		{Property: "owner-only-release", Status: model.Holds},
		{Property: "progress", Status: model.Holds},
	}
	return t
}
