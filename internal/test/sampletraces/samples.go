package sampletraces

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// ValueC1 and ValueC2 are the lock's values while c1 and c2 have it.
const (
	ValueC1 = "9f2c41d08ab3e6671c55"
	ValueC2 = "41aa07be3390fd12c870"
)

const (
	valueC3 = "c70e5512aa98b4410d3f"

	compareAndDelete = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`
	digest           = "3c1f2b5a9d8e7f60718293a4b5c6d7e8f9012345"
)

// Samples are the hand-made traces, by name.
var Samples = []struct {
	Name string
	Make func() *traces.Trace
}{
	{"gc-pause", GCPause},
	{"failover-loss", FailoverLoss},
	{"two-step-release", twoStepRelease},
	{"calm", Calm},
	{"attributed", Attributed},
	{"double-grant", DoubleGrant},
	{"deadlock", Deadlock},
}

// ReleaseOwn adds a release that finds its own key.
func (s *Stage) ReleaseOwn(at time.Duration, a *model.Operation, conn int, node, replica, value string) time.Duration {
	o := s.Call(at, a.Client, model.Release, a)
	request := Command("evalsha", digest, "1", "lock", value)
	there, back := s.Ask(at+15*us, a.Client, node, conn, request, []byte(":1\r\n"))
	by := model.Origin{Client: a.Client, Conn: conn, Op: o.ID}
	gone := model.Observation{
		Node: node, Kind: model.RecordDeleted, Authority: node, Key: "lock", Value: value,
		Owner: model.Origin{Client: a.Client, Conn: conn, Op: a.ID}, By: by,
	}
	s.See(there+5*us, gone)
	if replica != "" {
		gone.Node, gone.Authority = replica, ""
		arrives := s.Send(there+40*us, node, replica, 0, Command("del", "lock"), 900*us, false)
		s.See(arrives+5*us, gone)
	}
	s.Answer(back+5*us, o, model.OK)
	return back + 5*us
}

// Poll adds a waiting client's vain tries from one time to another.
func (s *Stage) Poll(from, to, every time.Duration, client string, conn int, node, value string) {
	for i, at := 0, from; at < to; i++ {
		s.Deny(at, client, conn, node, value)
		at += every + time.Duration(i*7919%13)*ms
	}
}

// Expire adds the end of a key by its clock, on a primary and its replica.
func (s *Stage) Expire(at time.Duration, node, replica, value string, owner model.Origin) {
	gone := model.Observation{Node: node, Kind: model.RecordExpired, Authority: node, Key: "lock", Value: value, Owner: owner}
	s.See(at, gone)
	if replica != "" {
		gone.Node, gone.Authority = replica, ""
		arrives := s.Send(at+20*us, node, replica, 0, Command("del", "lock"), 900*us, false)
		s.See(arrives+5*us, gone)
	}
}

// GCPause returns a run in which c1 is paused beyond its lease between reading and writing.
func GCPause() *traces.Trace {
	s := NewStage("gc-pause", "setpx", 2)
	s.T.Property, s.T.Limit = "no-lost-update", true
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	conn2, _ := s.Connect(800*us, "c2", "redis1")

	a1 := s.Call(2400*us, "c1", model.Acquire, nil)
	there, back := s.Grant(2420*us, a1, conn1, "redis1", "redis2", ValueC1)
	s.Answer(back+5*us, a1, model.OK)
	a2 := s.Call(2900*us, "c2", model.Acquire, nil)
	s.Poll(2930*us, 1990*ms, 58*ms, "c2", conn2, "redis1", ValueC2)

	s.Access(back+150*us, a1, 101, model.Read, 0)
	s.See(4100*us, model.Observation{Node: "c1", Kind: model.Paused, For: 3100 * ms})
	s.Expire(there+5*us+2*time.Second, "redis1", "redis2", ValueC1, model.Origin{Client: "c1", Conn: conn1, Op: a1.ID})

	_, back = s.Grant(2031*ms, a2, conn2, "redis1", "redis2", ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	back = s.Access(back+120*us, a2, 102, model.Read, 0)
	s.Access(back+14*ms, a2, 102, model.Write, 1)
	s.ReleaseOwn(2082*ms, a2, conn2, "redis1", "redis2", ValueC2)

	s.See(3104100*us, model.Observation{Node: "c1", Kind: model.Resumed})
	s.Access(3104300*us, a1, 101, model.Write, 1)
	r1 := s.Call(3106*ms, "c1", model.Release, a1)
	_, back = s.Ask(3106020*us, "c1", "redis1", conn1, Command("evalsha", digest, "1", "lock", ValueC1), []byte("-NOSCRIPT No matching script. Please use EVAL.\r\n"))
	_, back = s.Ask(back+20*us, "c1", "redis1", conn1, Command("eval", compareAndDelete, "1", "lock", ValueC1), []byte(":0\r\n"))
	r1.NotHeld, r1.Err = true, "lock: not held"
	s.Answer(back+5*us, r1, model.Failed)

	t := s.Build()
	from, to := Writes(t)[0], Writes(t)[1]
	t.Verdicts = []model.Verdict{
		{Property: "mutual-exclusion", Status: model.Violated, Limit: true, Cause: "holder-stopped",
			Operations: []int{a1.ID, a2.ID}, From: a2.Return, To: t.History.Operations[len(t.History.Operations)-3].Call,
			Sentence: "c1 and c2 both believed for 49ms that they held the lock: c1's lease ran out while c1 was paused."},
		{Property: "overrun", Status: model.NotApplicable},
		{Property: "no-lost-update", Status: model.Violated, Limit: true, Cause: "holder-stopped",
			Operations: []int{a1.ID, a2.ID}, Observations: []int64{from.Seq, to.Seq}, From: from, To: to,
			Sentence: "c1's write of 1 undid c2's: c1 read 0, was paused for 3.1s, beyond its lease of 2s, and wrote after c2 had held the lock and written."},
		{Property: "linearizable", Status: model.Violated, Limit: true, Cause: "holder-stopped", Sentence: "No order of the calls lets c2 acquire before c1 has released."},
		{Property: "owner-only-release", Status: model.Holds},
		{Property: "truthful-release", Status: model.Holds},
		{Property: "fencing", Status: model.NotApplicable},
		{Property: "progress", Status: model.Undecided, Sentence: "The run was cut before progress could be judged."},
	}
	return t
}

// Writes returns the stamps of the accepted writes.
func Writes(t *traces.Trace) []model.Stamp {
	var stamps []model.Stamp
	for _, o := range t.History.Observations {
		if o.Kind == model.ResourceWritten {
			stamps = append(stamps, o.Stamp)
		}
	}
	return stamps
}

// FailoverLoss returns a run in which the primary crashes before c1's key has reached the replica,
// which is promoted and grants the lock to c2.
func FailoverLoss() *traces.Trace {
	s := NewStage("failover-loss", "setpx", 3)
	s.T.Property, s.T.Limit = "mutual-exclusion", true
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	conn2, _ := s.Connect(800*us, "c2", "redis1")
	conn3, _ := s.Connect(950*us, "c3", "redis1")

	a1 := s.Call(2400*us, "c1", model.Acquire, nil)
	there, back := s.Grant(2420*us, a1, conn1, "redis1", "", ValueC1)
	s.Answer(back+5*us, a1, model.OK)
	s.Lose(there+300*us, "redis1", "redis2", 0, Command("set", "lock", ValueC1, "pxat", "2000"), 600*us, "the node crashed")
	a2 := s.Call(3000*us, "c2", model.Acquire, nil)
	s.Access(back+100*us, a1, 101, model.Read, 0)
	s.Deny(3010*us, "c2", conn2, "redis1", ValueC2)
	a3 := s.Call(3200*us, "c3", model.Acquire, nil)
	s.See(4300*us, model.Observation{Node: "redis1", Kind: model.Crashed, Authority: "redis1"})
	s.Lose(3990*us, "c3", "redis1", conn3, Command("set", "lock", valueC3, "px", "2000", "nx"), 330*us, "the node is down")
	s.Event(4600*us, sim.Event{Kind: sim.EventReset, Actor: "c1", Peer: "redis1", Conn: conn1})
	s.Event(4601*us, sim.Event{Kind: sim.EventReset, Actor: "c2", Peer: "redis1", Conn: conn2})
	s.Event(4602*us, sim.Event{Kind: sim.EventReset, Actor: "c3", Peer: "redis1", Conn: conn3})
	for at, i := 90*ms, 0; at < 400*ms; at, i = at+97*ms, i+1 {
		s.Event(at+300*us, sim.Event{Kind: sim.EventRefused, Actor: "c2", Peer: "redis1", Conn: 10 + i})
		s.Event(at+11*ms, sim.Event{Kind: sim.EventRefused, Actor: "c3", Peer: "redis1", Conn: 20 + i})
	}
	s.See(412*ms, model.Observation{Node: "redis2", Kind: model.Promoted, Authority: "redis2"})
	conn2, ready := s.Connect(431*ms, "c2", "redis2")
	_, back = s.Grant(ready, a2, conn2, "redis2", "", ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	conn3, ready = s.Connect(455*ms, "c3", "redis2")
	s.Poll(ready, 1080*ms, 71*ms, "c3", conn3, "redis2", valueC3)
	r2 := s.Access(back+200*us, a2, 102, model.Read, 0)
	s.Access(r2+22*ms, a2, 102, model.Write, 1)
	s.Access(640*ms, a1, 101, model.Write, 1)
	conn1, ready = s.Connect(671*ms, "c1", "redis2")
	r1 := s.Call(ready-2*ms, "c1", model.Release, a1)
	_, back = s.Ask(ready, "c1", "redis2", conn1, Command("eval", compareAndDelete, "1", "lock", ValueC1), []byte(":0\r\n"))
	r1.NotHeld, r1.Err = true, "lock: not held"
	s.Answer(back+5*us, r1, model.Failed)
	s.See(905*ms, model.Observation{Node: "redis1", Kind: model.Returned})
	s.See(906*ms, model.Observation{Node: "redis1", Kind: model.RecordDropped, Key: "lock", Value: ValueC1, Owner: model.Origin{Client: "c1", Conn: 1, Op: a1.ID}})
	copied := model.Observation{Node: "redis1", Kind: model.RecordCreated, Key: "lock", Value: ValueC2, Owner: model.Origin{Client: "c2", Conn: conn2, Op: a2.ID}, ExpiresAt: 2435 * ms}
	s.See(907*ms, copied)
	end2 := s.ReleaseOwn(1090*ms, a2, conn2, "redis2", "redis1", ValueC2)
	_, back = s.Grant(end2+31*ms, a3, conn3, "redis2", "redis1", valueC3)
	s.Answer(back+5*us, a3, model.OK)
	r3 := s.Access(back+200*us, a3, 103, model.Read, 1)
	s.Access(r3+18*ms, a3, 103, model.Write, 2)
	s.ReleaseOwn(1190*ms, a3, conn3, "redis2", "redis1", valueC3)

	t := s.Build()
	t.Verdicts = []model.Verdict{
		{Property: "mutual-exclusion", Status: model.Violated, Limit: true, Cause: "store-forgot", Operations: []int{a1.ID, a2.ID}, From: a2.Return, To: r1.Call,
			Sentence: "c1 and c2 both believed for 240ms that they held the lock: redis1 crashed before c1's key had reached redis2, which was promoted and granted the lock to c2."},
		{Property: "no-lost-update", Status: model.Violated, Limit: true, Cause: "store-forgot", Sentence: "c1 and c2 both read 0 and wrote 1."},
		{Property: "lease-honesty", Status: model.NotApplicable},
		{Property: "owner-only-release", Status: model.Holds},
		{Property: "progress", Status: model.Holds},
	}
	return t
}

// twoStepRelease: c1 releases with GET, compare, DEL. The DEL is late and
// removes the key of c2.
func twoStepRelease() *traces.Trace {
	s := NewStage("two-step-release", "setpx-twostep", 3)
	s.T.Property = "owner-only-release"
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	conn2, _ := s.Connect(800*us, "c2", "redis1")
	conn3, _ := s.Connect(950*us, "c3", "redis1")
	a1 := s.Call(2400*us, "c1", model.Acquire, nil)
	there, back := s.Grant(2420*us, a1, conn1, "redis1", "redis2", ValueC1)
	owner1 := model.Origin{Client: "c1", Conn: conn1, Op: a1.ID}
	s.Answer(back+5*us, a1, model.OK)
	a2 := s.Call(2900*us, "c2", model.Acquire, nil)
	a3 := s.Call(3100*us, "c3", model.Acquire, nil)
	s.Poll(2930*us, 1990*ms, 92*ms, "c2", conn2, "redis1", ValueC2)
	s.Poll(3130*us, 2440*ms, 101*ms, "c3", conn3, "redis1", valueC3)
	back = s.Access(back+100*us, a1, 101, model.Read, 0)
	s.Access(back+11*ms, a1, 101, model.Write, 1)
	r1 := s.Call(30*ms, "c1", model.Release, a1)
	_, back = s.Ask(30020*us, "c1", "redis1", conn1, Command("get", "lock"), []byte("$20\r\n"+ValueC1+"\r\n"))
	s.Expire(there+5*us+2*time.Second, "redis1", "redis2", ValueC1, owner1)
	_, ok := s.Grant(2021*ms, a2, conn2, "redis1", "redis2", ValueC2)
	owner2 := model.Origin{Client: "c2", Conn: conn2, Op: a2.ID}
	s.Answer(ok+5*us, a2, model.OK)
	s.Access(ok+100*us, a2, 102, model.Read, 1)

	arrives := s.Send(back+30*us, "c1", "redis1", conn1, Command("del", "lock"), 2420*ms, true)
	by := model.Origin{Client: "c1", Conn: conn1, Op: r1.ID}
	gone := s.See(arrives+5*us, model.Observation{Node: "redis1", Kind: model.RecordDeleted, Authority: "redis1", Key: "lock", Value: ValueC2, Owner: owner2, By: by})
	s.See(arrives+950*us, model.Observation{Node: "redis2", Kind: model.RecordDeleted, Key: "lock", Value: ValueC2, Owner: owner2, By: by})
	told := s.Send(arrives+25*us, "redis1", "c1", conn1, []byte(":1\r\n"), 280*us, false)
	s.Answer(told+5*us, r1, model.OK)
	_, got := s.Grant(2497*ms, a3, conn3, "redis1", "redis2", valueC3)
	s.Answer(got+5*us, a3, model.OK)
	got = s.Access(got+100*us, a3, 103, model.Read, 1)
	s.Access(got+9*ms, a3, 103, model.Write, 2)
	s.Access(2520*ms, a2, 102, model.Write, 2)
	s.ReleaseOwn(2541*ms, a3, conn3, "redis1", "redis2", valueC3)
	r2 := s.Call(2560*ms, "c2", model.Release, a2)
	_, back = s.Ask(2560020*us, "c2", "redis1", conn2, Command("get", "lock"), []byte("$-1\r\n"))
	r2.NotHeld, r2.Err = true, "lock: not held"
	s.Answer(back+5*us, r2, model.Failed)

	t := s.Build()
	t.Verdicts = []model.Verdict{
		{Property: "mutual-exclusion", Status: model.Violated, Sentence: "c2 and c3 both believed that they held the lock."},
		{Property: "owner-only-release", Status: model.Violated, Operations: []int{r1.ID}, Observations: []int64{gone.Seq}, From: gone.Stamp, To: gone.Stamp,
			Sentence: "c1's DEL, held back by the network for 2.42s, removed the live lock of c2: c1 had compared the value with a GET of its own, 2s before."},
		{Property: "truthful-release", Status: model.Violated, Sentence: "c1 was told that it had released the lock, which was c2's."},
		{Property: "no-lost-update", Status: model.Violated, Sentence: "c2 and c3 both read 1 and wrote 2."},
		{Property: "progress", Status: model.Holds},
	}
	return t
}

// Calm returns a run of two clients, one after the other, in which nothing goes wrong.
func Calm() *traces.Trace {
	s := NewStage("contention", "setpx-fenced", 2)
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	conn2, _ := s.Connect(800*us, "c2", "redis1")
	a1 := s.Call(2400*us, "c1", model.Acquire, nil)
	_, back := s.Grant(2420*us, a1, conn1, "redis1", "redis2", ValueC1)
	s.Answer(back+5*us, a1, model.OK)
	a1.Fenced, a1.Token, a1.Leased, a1.Until = true, 33, true, 1980*ms
	a2 := s.Call(3100*us, "c2", model.Acquire, nil)
	s.Poll(3130*us, 24*ms, 7*ms, "c2", conn2, "redis1", ValueC2)
	back = s.Access(back+100*us, a1, 101, model.Read, 0)
	s.Access(back+10*ms, a1, 101, model.Write, 1)
	end := s.ReleaseOwn(26*ms, a1, conn1, "redis1", "redis2", ValueC1)
	_, back = s.Grant(end+9*ms, a2, conn2, "redis1", "redis2", ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	a2.Fenced, a2.Token, a2.Leased, a2.Until = true, 34, true, 2016*ms
	back = s.Access(back+100*us, a2, 102, model.Read, 1)
	s.Access(back+10*ms, a2, 102, model.Write, 2)
	s.ReleaseOwn(58*ms, a2, conn2, "redis1", "redis2", ValueC2)
	t := s.Build()
	t.Verdicts = []model.Verdict{
		{Property: "mutual-exclusion", Status: model.Holds},
		{Property: "fencing", Status: model.Holds},
		{Property: "no-lost-update", Status: model.Holds},
	}
	return t
}

// Attributed returns the failover again, shrunk, with what it needs and what would
// have helped.
func Attributed() *traces.Trace {
	t := FailoverLoss()
	crash, lost := int64(0), int64(0)
	for _, e := range t.Events {
		switch {
		case e.Detail == string(model.Crashed):
			crash = e.Seq
		case e.Kind == sim.EventDrop && e.Actor == "redis2":
			lost = e.Seq
		}
	}
	t.Strategy = "portfolio"
	t.Shrunk = &traces.Shrunk{Parameters: []traces.Parameter{{Name: "clients", Value: "3"}, {Name: "ttl", Value: "2s"}, {Name: "rounds", Value: "2"}}, From: 66, To: 3, Runs: 378}
	t.Attribution = &traces.Attribution{
		Deviations: []traces.Deviation{
			{Decision: "latency/redis1#4", Option: 1, Seq: lost, Text: "the segment from redis1 to redis2 sent at 0.00332s (SET lock 9f2c41… PXAT 2000) is slow by 32.3µs", Needed: true},
			{Decision: "order/world#3", Option: 1, Text: "of 2 events due together at 0.00332s, what comes from c2 to redis1 goes first"},
			{Decision: "fault:failover/failover#14", Option: 1, Seq: crash, Text: "redis1 crashes at 0.0043s, before its last write has reached redis2", Needed: true},
		},
		Remedies: []traces.Remedy{
			{Text: "setpx-wait (waits for one replica by WAIT)", Gone: true, Schedules: 512, Bound: 1},
			{Text: "setpx-fenced (fences its writes)", Schedules: 1, Bound: -1},
			{Text: "a lease four times as long", Schedules: 7, Bound: 0},
			{Text: "a lock that counts to three before it does anything", Schedules: 3, Bound: -1, Trouble: "c1 waits for a mutex that nobody will unlock"},
		},
	}
	return t
}
