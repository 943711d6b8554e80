package story

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// hold is a whole acquisition: it reads one value and writes another.
func hold(s *sampletraces.Stage, at time.Duration, client string, conn int, value string, read, write int64) {
	a := s.Call(at, client, model.Acquire, nil)
	_, back := s.Grant(at+20*us, a, conn, "redis1", "", value)
	s.Answer(back+5*us, a, model.OK)
	back = s.Access(back+1*ms, a, 100+conn, model.Read, read)
	back = s.Access(back+1*ms, a, 100+conn, model.Write, write)
	s.ReleaseOwn(back+1*ms, a, conn, "redis1", "", value)
}

func TestStepsSummariseWhatHappensInBetween(t *testing.T) {
	between := func(holds int) *traces.Trace {
		s, _, conn2, a1 := sampletraces.Two()
		hold(s, 3*time.Second, "c2", conn2, sampletraces.ValueC2, 0, 1)
		s.Access(4*time.Second, a1, 101, model.Read, 1)
		for i := range holds {
			hold(s, 5*time.Second+time.Duration(i)*100*ms, "c2", conn2, sampletraces.ValueC2, int64(i+1), int64(i+2))
		}
		s.Access(8*time.Second, a1, 101, model.Write, 2)
		s.Access(9*time.Second, a1, 101, model.Write, 3)
		return sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}})
	}
	expect(t, between(0),
		"c1 acquires the lock (lock = 9f2c41…, expires in 2s)",
		"c2 acquires the lock, writes 1 and releases it",
		"c1 reads 1",
		"c1 writes 2",
		"c1 writes 3")
	expect(t, between(1),
		"c1 reads 1",
		"c2 acquires the lock, writes 2 and releases it",
		"c1 writes 2 over c2's 2: an update is lost",
		"c1 writes 3")
	expect(t, between(9),
		"c1 reads 1",
		"register c2 holds the lock 9 times from 5.0007s to 5.8037s; the value is now 10",
		"c1 writes 2 over c2's 10: an update is lost")
}

func TestStepsSummariseWritesOfNobody(t *testing.T) {
	s, _, _, a1 := sampletraces.Two()
	s.See(3*time.Second, model.Observation{Node: "register", Kind: model.ResourceWritten, Number: 7})
	s.Access(4*time.Second, a1, 101, model.Read, 7)
	late := s.Call(5*time.Second, "c2", model.Acquire, nil)
	w := s.Call(5*time.Second+ms, "c2", model.Write, late)
	s.See(5*time.Second+2*ms, model.Observation{Node: "register", Kind: model.ResourceWritten, By: model.Origin{Client: "c2", Op: w.ID}, Number: 8})
	s.Access(6*time.Second, a1, 101, model.Read, 8)
	expect(t, sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}}),
		"register the value is now 7",
		"c1 reads 7",
		"c2 writes 8",
		"c1 reads 8")
}

// retried is a release by DEL whose first answer does not come in time.
func retried(answered, late bool) *traces.Trace {
	s, conn1, _, a1 := sampletraces.Two()
	r1 := s.Call(30*ms, "c1", model.Release, a1)
	there := s.Send(30020*us, "c1", "redis1", conn1, sampletraces.Command("del", "lock"), 300*us, false)
	owner := model.Origin{Client: "c1", Conn: conn1, Op: a1.ID}
	s.See(there+us, model.Observation{Node: "redis1", Kind: model.RecordDeleted, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC1, Owner: owner, By: model.Origin{Client: "c1", Conn: conn1, Op: r1.ID}})
	if answered {
		s.Send(there+20*us, "redis1", "c1", conn1, []byte(":1\r\n"), 300*us, false)
	} else {
		s.Lose(there+20*us, "redis1", "c1", conn1, []byte(":1\r\n"), 4*time.Second, "the connection is closed")
	}
	s.Event(3*time.Second, sim.Event{Kind: sim.EventTimeout, Actor: "c1", Peer: "redis1", Conn: conn1, Detail: "read"})
	again, ready := s.Connect(3010*ms, "c1", "redis1")
	if late {
		ready = s.Send(ready, "c1", "redis1", again, sampletraces.Command("del", "lock"), time.Second, true)
		ready = s.Send(ready+us, "redis1", "c1", again, []byte(":0\r\n"), 300*us, false)
	} else {
		_, ready = s.Ask(ready, "c1", "redis1", again, sampletraces.Command("del", "lock"), []byte(":0\r\n"))
	}
	s.Answer(ready+5*us, r1, model.OK)
	return sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{r1.ID}})
}

func TestStepsOfARepeatedRequest(t *testing.T) {
	expect(t, retried(false, false),
		"c1 calls Release",
		"c1 stops waiting for redis1: time-out",
		"c1 connects again and repeats DEL lock",
		"c1 releases the lock")
	expect(t, retried(false, true),
		"c1 stops waiting for redis1: time-out",
		"c1 connects again and repeats DEL lock; the network holds it back for 1s")
	polls, _, conn2, a1 := sampletraces.Two()
	a2 := polls.Call(3*ms, "c2", model.Acquire, nil)
	set := sampletraces.Command("set", "lock", sampletraces.ValueC2, "px", "2000", "nx")
	polls.Lose(4*ms, "c2", "redis1", conn2, set, 10*ms, "the connection is reset")
	polls.Event(14*ms, sim.Event{Kind: sim.EventReset, Actor: "c2", Peer: "redis1", Conn: conn2})
	conn2, ready := polls.Connect(20*ms, "c2", "redis1")
	polls.Poll(ready, time.Second, 100*ms, "c2", conn2, "redis1", sampletraces.ValueC2)
	polls.Answer(2*time.Second, a2, model.Failed)
	told := tell(sampletraces.Violated(polls, model.Verdict{Property: "made-up", Operations: []int{a1.ID, a2.ID}}))
	if strings.Count(told, "c2 connects again and repeats SET lock 41aa07… PX 2000 NX\n") != 1 {
		t.Errorf("only the first of many tries is a repetition:\n%s", told)
	}
	if told := tell(retried(true, false)); strings.Contains(told, "repeats") {
		t.Errorf("a request that was answered is no repetition:\n%s", told)
	}
}

func TestStepsOfAnOlderCounter(t *testing.T) {
	for replica, want := range map[string]string{
		"2": "redis2 becomes the primary without c1's key; {lock}:fence is 2 there, not 3",
		"3": "redis2 becomes the primary without c1's key",
		"":  "redis2 becomes the primary without c1's key; {lock}:fence is not there, either",
	} {
		s, conn1, _, a1 := sampletraces.Two()
		owner := model.Origin{Client: "c1", Conn: conn1, Op: a1.ID}
		fence := model.Observation{Node: "redis1", Kind: model.RecordChanged, Authority: "redis1", Key: "{lock}:fence", Value: "3", Owner: owner, By: owner}
		s.See(3*ms, fence)
		if replica != "" {
			fence.Node, fence.Authority, fence.Value, fence.Kind = "redis2", "", replica, model.RecordCreated
			s.See(4*ms, fence)
		}
		s.See(5*ms, model.Observation{Node: "redis1", Kind: model.Crashed, Authority: "redis1"})
		s.See(6*ms, model.Observation{Node: "redis2", Kind: model.Promoted, Authority: "redis2"})
		expect(t, sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}}), want)
	}
}

func TestMessagesAreNamedOnce(t *testing.T) {
	s, conn1, _, a1 := sampletraces.Two()
	const long = "a-script-with-many-arguments"
	s.Send(10*ms, "c1", "redis1", conn1, sampletraces.Command("eval", long, "1", "lock", long, long, long, long, long), time.Second, true)
	r1 := s.Call(11*ms, "c1", model.Release, a1)
	s.Answer(2*time.Second, r1, model.OK)
	told := tell(sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{r1.ID}}))
	if strings.Contains(told, "……") || strings.Contains(told, "… …") || !strings.Contains(told, "… to redis1; ") {
		t.Errorf("not one ellipsis at the end of what is cut:\n%s", told)
	}
}

func TestLongAnswersAreNamedByTheirQuestion(t *testing.T) {
	s, _, _, a1 := sampletraces.Two()
	a2 := s.Call(5*ms, "c2", model.Acquire, nil)
	there := s.Send(6*ms, "c2", "redis1", 9, sampletraces.Command("hello", "2"), 300*us, false)
	s.Send(there+us, "redis1", "c2", 9, sampletraces.Command("server", "redis", "version", "7.2.4"), time.Second, true)
	s.Answer(2*time.Second, a2, model.Failed)
	expect(t, sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID, a2.ID}}),
		"redis1 sends the answer to HELLO 2 to c2; the network holds it back for 1s")
}

func TestNoStepIsToldWithoutWhatItNeeds(t *testing.T) {
	var all []candidate
	for i := range MaxSteps + 3 {
		all = append(all, candidate{Step: Step{Seq: int64(i + 1)}, weight: 10})
	}
	all[2].needs = MaxSteps + 1 // not among the first
	all[3].needs = 1
	chosen := heaviest(all)
	if len(chosen) != MaxSteps {
		t.Errorf("%d steps are chosen", len(chosen))
	}
	for _, c := range chosen {
		if c.Seq == 3 || c.Seq == MaxSteps+1 {
			t.Errorf("step %d is chosen", c.Seq)
		}
	}
}

func TestStepsOfARequestRepeatedAfterAFailover(t *testing.T) {
	failover := func(promoted bool) string {
		s, conn1, _, a1 := sampletraces.Two()
		r1 := s.Call(30*ms, "c1", model.Release, a1)
		s.Lose(31*ms, "c1", "redis1", conn1, sampletraces.Command("del", "lock"), ms, "the node crashed")
		s.Event(33*ms, sim.Event{Kind: sim.EventReset, Actor: "c1", Peer: "redis1", Conn: conn1})
		if promoted {
			s.See(50*ms, model.Observation{Node: "redis2", Kind: model.Promoted, Authority: "redis2"})
		}
		again, ready := s.Connect(60*ms, "c1", "redis2")
		_, back := s.Ask(ready, "c1", "redis2", again, sampletraces.Command("del", "lock"), []byte(":0\r\n"))
		s.Answer(back+5*us, r1, model.OK)
		return tell(sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{r1.ID}}))
	}
	if told := failover(true); !strings.Contains(told, "c1 connects to redis2 and repeats DEL lock\n") {
		t.Errorf("the repetition is not told:\n%s", told)
	}
	if told := failover(false); strings.Contains(told, "repeats") {
		t.Errorf("asking several nodes is no repetition:\n%s", told)
	}
}
