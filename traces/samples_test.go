package traces

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

const (
	valueC1 = "9f2c41d08ab3e6671c55"
	valueC2 = "41aa07be3390fd12c870"
	valueC3 = "c70e5512aa98b4410d3f"

	compareAndDelete = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`
	digest           = "3c1f2b5a9d8e7f60718293a4b5c6d7e8f9012345"
)

// samples are the hand-made traces, by name.
var samples = []struct {
	name string
	make func() *Trace
}{
	{"gc-pause", gcPause},
	{"failover-loss", failoverLoss},
	{"two-step-release", twoStepRelease},
	{"calm", calm},
	{"attributed", attributed},
}

// releaseOwn is a release that finds its own key.
func (s *stage) releaseOwn(at time.Duration, a *model.Operation, conn int, node, replica, value string) time.Duration {
	o := s.call(at, a.Client, model.Release, a)
	request := command("evalsha", digest, "1", "lock", value)
	there, back := s.ask(at+15*us, a.Client, node, conn, request, []byte(":1\r\n"))
	by := model.Origin{Client: a.Client, Conn: conn, Op: o.ID}
	gone := model.Observation{
		Node: node, Kind: model.KeyDeleted, Primary: true, Key: "lock", Value: value,
		Owner: model.Origin{Client: a.Client, Conn: conn, Op: a.ID}, By: by,
	}
	s.see(there+5*us, gone)
	if replica != "" {
		gone.Node, gone.Primary = replica, false
		arrives := s.send(there+40*us, node, replica, 0, command("del", "lock"), 900*us, false)
		s.see(arrives+5*us, gone)
	}
	s.answer(back+5*us, o, model.OK)
	return back + 5*us
}

// poll is a waiting client's vain tries from one time to another.
func (s *stage) poll(from, to, every time.Duration, client string, conn int, node, value string) {
	for i, at := 0, from; at < to; i++ {
		s.deny(at, client, conn, node, value)
		at += every + time.Duration(i*7919%13)*ms
	}
}

// expire is the end of a key by its clock, on a primary and its replica.
func (s *stage) expire(at time.Duration, node, replica, value string, owner model.Origin) {
	gone := model.Observation{Node: node, Kind: model.KeyExpired, Primary: true, Key: "lock", Value: value, Owner: owner}
	s.see(at, gone)
	if replica != "" {
		gone.Node, gone.Primary = replica, false
		arrives := s.send(at+20*us, node, replica, 0, command("del", "lock"), 900*us, false)
		s.see(arrives+5*us, gone)
	}
}

// gcPause: c1 is paused beyond its lease between reading and writing.
func gcPause() *Trace {
	s := newStage("gc-pause", "setpx", 2)
	s.t.Property, s.t.Limit = "no-lost-update", true
	conn1, _ := s.connect(500*us, "c1", "redis1")
	conn2, _ := s.connect(800*us, "c2", "redis1")

	a1 := s.call(2400*us, "c1", model.Acquire, nil)
	there, back := s.grant(2420*us, a1, conn1, "redis1", "redis2", valueC1)
	s.answer(back+5*us, a1, model.OK)
	a2 := s.call(2900*us, "c2", model.Acquire, nil)
	s.poll(2930*us, 1990*ms, 58*ms, "c2", conn2, "redis1", valueC2)

	s.access(back+150*us, a1, 101, model.Read, 0)
	s.see(4100*us, model.Observation{Node: "c1", Kind: model.Paused, For: 3100 * ms})
	s.expire(there+5*us+2*time.Second, "redis1", "redis2", valueC1, model.Origin{Client: "c1", Conn: conn1, Op: a1.ID})

	_, back = s.grant(2031*ms, a2, conn2, "redis1", "redis2", valueC2)
	s.answer(back+5*us, a2, model.OK)
	back = s.access(back+120*us, a2, 102, model.Read, 0)
	s.access(back+14*ms, a2, 102, model.Write, 1)
	s.releaseOwn(2082*ms, a2, conn2, "redis1", "redis2", valueC2)

	s.see(3104100*us, model.Observation{Node: "c1", Kind: model.Resumed})
	s.access(3104300*us, a1, 101, model.Write, 1)
	r1 := s.call(3106*ms, "c1", model.Release, a1)
	_, back = s.ask(3106020*us, "c1", "redis1", conn1, command("evalsha", digest, "1", "lock", valueC1), []byte("-NOSCRIPT No matching script. Please use EVAL.\r\n"))
	_, back = s.ask(back+20*us, "c1", "redis1", conn1, command("eval", compareAndDelete, "1", "lock", valueC1), []byte(":0\r\n"))
	r1.NotHeld, r1.Err = true, "lock: not held"
	s.answer(back+5*us, r1, model.Failed)

	t := s.build()
	from, to := writes(t)[0], writes(t)[1]
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

// writes are the stamps of the accepted writes.
func writes(t *Trace) []model.Stamp {
	var stamps []model.Stamp
	for _, o := range t.History.Observations {
		if o.Kind == model.ResourceWritten {
			stamps = append(stamps, o.Stamp)
		}
	}
	return stamps
}

// failoverLoss: the primary crashes before c1's key has reached the replica,
// which is promoted and grants the lock to c2.
func failoverLoss() *Trace {
	s := newStage("failover-loss", "setpx", 3)
	s.t.Property, s.t.Limit = "mutual-exclusion", true
	conn1, _ := s.connect(500*us, "c1", "redis1")
	conn2, _ := s.connect(800*us, "c2", "redis1")
	conn3, _ := s.connect(950*us, "c3", "redis1")

	a1 := s.call(2400*us, "c1", model.Acquire, nil)
	there, back := s.grant(2420*us, a1, conn1, "redis1", "", valueC1)
	s.answer(back+5*us, a1, model.OK)
	s.lose(there+300*us, "redis1", "redis2", 0, command("set", "lock", valueC1, "pxat", "2000"), 600*us, "the node crashed")
	a2 := s.call(3000*us, "c2", model.Acquire, nil)
	s.access(back+100*us, a1, 101, model.Read, 0)
	s.deny(3010*us, "c2", conn2, "redis1", valueC2)
	a3 := s.call(3200*us, "c3", model.Acquire, nil)
	s.see(4300*us, model.Observation{Node: "redis1", Kind: model.Crashed, Primary: true})
	s.lose(3990*us, "c3", "redis1", conn3, command("set", "lock", valueC3, "px", "2000", "nx"), 330*us, "the node is down")
	s.event(4600*us, sim.Event{Kind: sim.EventReset, Actor: "c1", Peer: "redis1", Conn: conn1})
	s.event(4601*us, sim.Event{Kind: sim.EventReset, Actor: "c2", Peer: "redis1", Conn: conn2})
	s.event(4602*us, sim.Event{Kind: sim.EventReset, Actor: "c3", Peer: "redis1", Conn: conn3})
	for at, i := 90*ms, 0; at < 400*ms; at, i = at+97*ms, i+1 {
		s.event(at+300*us, sim.Event{Kind: sim.EventRefused, Actor: "c2", Peer: "redis1", Conn: 10 + i})
		s.event(at+11*ms, sim.Event{Kind: sim.EventRefused, Actor: "c3", Peer: "redis1", Conn: 20 + i})
	}
	s.see(412*ms, model.Observation{Node: "redis2", Kind: model.Promoted, Primary: true})
	conn2, ready := s.connect(431*ms, "c2", "redis2")
	_, back = s.grant(ready, a2, conn2, "redis2", "", valueC2)
	s.answer(back+5*us, a2, model.OK)
	conn3, ready = s.connect(455*ms, "c3", "redis2")
	s.poll(ready, 1080*ms, 71*ms, "c3", conn3, "redis2", valueC3)
	r2 := s.access(back+200*us, a2, 102, model.Read, 0)
	s.access(r2+22*ms, a2, 102, model.Write, 1)
	s.access(640*ms, a1, 101, model.Write, 1)
	conn1, ready = s.connect(671*ms, "c1", "redis2")
	r1 := s.call(ready-2*ms, "c1", model.Release, a1)
	_, back = s.ask(ready, "c1", "redis2", conn1, command("eval", compareAndDelete, "1", "lock", valueC1), []byte(":0\r\n"))
	r1.NotHeld, r1.Err = true, "lock: not held"
	s.answer(back+5*us, r1, model.Failed)
	s.see(905*ms, model.Observation{Node: "redis1", Kind: model.Returned})
	s.see(906*ms, model.Observation{Node: "redis1", Kind: model.KeyDropped, Key: "lock", Value: valueC1, Owner: model.Origin{Client: "c1", Conn: 1, Op: a1.ID}})
	copied := model.Observation{Node: "redis1", Kind: model.KeyCreated, Key: "lock", Value: valueC2, Owner: model.Origin{Client: "c2", Conn: conn2, Op: a2.ID}, ExpiresAt: 2435 * ms}
	s.see(907*ms, copied)
	end2 := s.releaseOwn(1090*ms, a2, conn2, "redis2", "redis1", valueC2)
	_, back = s.grant(end2+31*ms, a3, conn3, "redis2", "redis1", valueC3)
	s.answer(back+5*us, a3, model.OK)
	r3 := s.access(back+200*us, a3, 103, model.Read, 1)
	s.access(r3+18*ms, a3, 103, model.Write, 2)
	s.releaseOwn(1190*ms, a3, conn3, "redis2", "redis1", valueC3)

	t := s.build()
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
func twoStepRelease() *Trace {
	s := newStage("two-step-release", "setpx-twostep", 3)
	s.t.Property = "owner-only-release"
	conn1, _ := s.connect(500*us, "c1", "redis1")
	conn2, _ := s.connect(800*us, "c2", "redis1")
	conn3, _ := s.connect(950*us, "c3", "redis1")
	a1 := s.call(2400*us, "c1", model.Acquire, nil)
	there, back := s.grant(2420*us, a1, conn1, "redis1", "redis2", valueC1)
	owner1 := model.Origin{Client: "c1", Conn: conn1, Op: a1.ID}
	s.answer(back+5*us, a1, model.OK)
	a2 := s.call(2900*us, "c2", model.Acquire, nil)
	a3 := s.call(3100*us, "c3", model.Acquire, nil)
	s.poll(2930*us, 1990*ms, 92*ms, "c2", conn2, "redis1", valueC2)
	s.poll(3130*us, 2440*ms, 101*ms, "c3", conn3, "redis1", valueC3)
	back = s.access(back+100*us, a1, 101, model.Read, 0)
	s.access(back+11*ms, a1, 101, model.Write, 1)
	r1 := s.call(30*ms, "c1", model.Release, a1)
	_, back = s.ask(30020*us, "c1", "redis1", conn1, command("get", "lock"), []byte("$20\r\n"+valueC1+"\r\n"))
	s.expire(there+5*us+2*time.Second, "redis1", "redis2", valueC1, owner1)
	_, ok := s.grant(2021*ms, a2, conn2, "redis1", "redis2", valueC2)
	owner2 := model.Origin{Client: "c2", Conn: conn2, Op: a2.ID}
	s.answer(ok+5*us, a2, model.OK)
	s.access(ok+100*us, a2, 102, model.Read, 1)

	arrives := s.send(back+30*us, "c1", "redis1", conn1, command("del", "lock"), 2420*ms, true)
	by := model.Origin{Client: "c1", Conn: conn1, Op: r1.ID}
	gone := s.see(arrives+5*us, model.Observation{Node: "redis1", Kind: model.KeyDeleted, Primary: true, Key: "lock", Value: valueC2, Owner: owner2, By: by})
	s.see(arrives+950*us, model.Observation{Node: "redis2", Kind: model.KeyDeleted, Key: "lock", Value: valueC2, Owner: owner2, By: by})
	told := s.send(arrives+25*us, "redis1", "c1", conn1, []byte(":1\r\n"), 280*us, false)
	s.answer(told+5*us, r1, model.OK)
	_, got := s.grant(2497*ms, a3, conn3, "redis1", "redis2", valueC3)
	s.answer(got+5*us, a3, model.OK)
	got = s.access(got+100*us, a3, 103, model.Read, 1)
	s.access(got+9*ms, a3, 103, model.Write, 2)
	s.access(2520*ms, a2, 102, model.Write, 2)
	s.releaseOwn(2541*ms, a3, conn3, "redis1", "redis2", valueC3)
	r2 := s.call(2560*ms, "c2", model.Release, a2)
	_, back = s.ask(2560020*us, "c2", "redis1", conn2, command("get", "lock"), []byte("$-1\r\n"))
	r2.NotHeld, r2.Err = true, "lock: not held"
	s.answer(back+5*us, r2, model.Failed)

	t := s.build()
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

// calm: two clients, one after the other, and nothing goes wrong.
func calm() *Trace {
	s := newStage("contention", "setpx-fenced", 2)
	conn1, _ := s.connect(500*us, "c1", "redis1")
	conn2, _ := s.connect(800*us, "c2", "redis1")
	a1 := s.call(2400*us, "c1", model.Acquire, nil)
	_, back := s.grant(2420*us, a1, conn1, "redis1", "redis2", valueC1)
	s.answer(back+5*us, a1, model.OK)
	a1.Fenced, a1.Token, a1.Leased, a1.Until = true, 33, true, 1980*ms
	a2 := s.call(3100*us, "c2", model.Acquire, nil)
	s.poll(3130*us, 24*ms, 7*ms, "c2", conn2, "redis1", valueC2)
	back = s.access(back+100*us, a1, 101, model.Read, 0)
	s.access(back+10*ms, a1, 101, model.Write, 1)
	end := s.releaseOwn(26*ms, a1, conn1, "redis1", "redis2", valueC1)
	_, back = s.grant(end+9*ms, a2, conn2, "redis1", "redis2", valueC2)
	s.answer(back+5*us, a2, model.OK)
	a2.Fenced, a2.Token, a2.Leased, a2.Until = true, 34, true, 2016*ms
	back = s.access(back+100*us, a2, 102, model.Read, 1)
	s.access(back+10*ms, a2, 102, model.Write, 2)
	s.releaseOwn(58*ms, a2, conn2, "redis1", "redis2", valueC2)
	t := s.build()
	t.Verdicts = []model.Verdict{
		{Property: "mutual-exclusion", Status: model.Holds},
		{Property: "fencing", Status: model.Holds},
		{Property: "no-lost-update", Status: model.Holds},
	}
	return t
}

// attributed is the failover again, shrunk, with what it needs and what would
// have helped.
func attributed() *Trace {
	t := failoverLoss()
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
	t.Shrunk = &Shrunk{Parameters: []Parameter{{"clients", "3"}, {"ttl", "2s"}, {"rounds", "2"}}, From: 66, To: 3, Runs: 378}
	t.Attribution = &Attribution{
		Deviations: []Deviation{
			{Decision: "latency/redis1#4", Option: 1, Seq: lost, Text: "the segment from redis1 to redis2 sent at 0.00332s (SET lock 9f2c41… PXAT 2000) is slow by 32.3µs", Needed: true},
			{Decision: "order/world#3", Option: 1, Text: "of 2 events due together at 0.00332s, what comes from c2 to redis1 goes first"},
			{Decision: "fault:failover/failover#14", Option: 1, Seq: crash, Text: "redis1 crashes at 0.0043s, before its last write has reached redis2", Needed: true},
		},
		Remedies: []Remedy{
			{Text: "WAIT for one replica (setpx-wait)", Gone: true, Schedules: 512, Bound: 1},
			{Text: "a fenced lock (setpx-fenced)", Schedules: 1, Bound: -1},
			{Text: "a lease four times as long", Schedules: 7, Bound: 0},
			{Text: "a lock that counts to three before it does anything", Schedules: 3, Bound: -1, Trouble: "c1 waits for a mutex that nobody will unlock"},
		},
	}
	return t
}
