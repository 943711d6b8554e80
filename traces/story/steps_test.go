package story

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

func TestStepsAreFewOrderedAndMarked(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		trace := sample.Make()
		steps := Steps(trace)
		if len(steps) == 0 || len(steps) > MaxSteps {
			t.Errorf("%s: %d steps", sample.Name, len(steps))
		}
		violating := 0
		for i, s := range steps {
			if i > 0 && (s.Seq < steps[i-1].Seq || s.At < steps[i-1].At) {
				t.Errorf("%s: step %d is before the one before", sample.Name, i+1)
			}
			if e := trace.Event(s.Seq); e == nil || e.At != s.At {
				t.Errorf("%s: step %d is no event", sample.Name, i+1)
			}
			if s.Violating {
				violating++
			}
		}
		if want := count01(trace.Property != ""); violating != want {
			t.Errorf("%s: %d steps are violating, want %d", sample.Name, violating, want)
		}
	}
}

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// tell returns the texts of the steps, each after its actor.
func tell(t *traces.Trace) string {
	var b strings.Builder
	for _, s := range Steps(t) {
		if s.Violating {
			b.WriteString("! ")
		}
		b.WriteString(s.Actor + " " + s.Text + "\n")
	}
	return b.String()
}

// expect checks that the steps contain the lines, in this order.
func expect(t *testing.T, trace *traces.Trace, lines ...string) {
	t.Helper()
	if err := sampletraces.Sound(trace); err != nil {
		t.Fatalf("the trace is unsound: %v", err)
	}
	told := tell(trace)
	rest := told
	for _, line := range lines {
		_, after, found := strings.Cut("\n"+rest, "\n"+line+"\n")
		if !found {
			t.Fatalf("no step %q (in this place) in\n%s", line, told)
		}
		rest = after
	}
}

func TestStepsOfALateReply(t *testing.T) {
	s, _, conn2, a1 := sampletraces.Two()
	s.Access(4*ms, a1, 101, model.Read, 0)
	a2 := s.Call(5*ms, "c2", model.Acquire, nil)
	request := sampletraces.Command("set", "lock", sampletraces.ValueC2, "px", "2000", "nx")
	there := s.Send(2100*ms, "c2", "redis1", conn2, request, 300*us, false)
	owner := model.Origin{Client: "c2", Conn: conn2, Op: a2.ID}
	s.See(there+us, model.Observation{Node: "redis1", Kind: model.RecordCreated, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC2, Owner: owner, By: owner})
	s.Send(there+10*us, "redis1", "c2", conn2, []byte("+OK\r\n"), 500*ms, true)
	s.Event(there+400*ms, sim.Event{Kind: sim.EventTimeout, Actor: "c2", Peer: "redis1", Conn: conn2, Detail: "read"})
	a2.Err = "i/o timeout"
	s.Answer(there+600*ms, a2, model.Failed)
	expect(t, sampletraces.Violated(s, model.Verdict{Property: "no-orphan", Operations: []int{a2.ID}}),
		"c2 asks for the lock",
		"redis1 creates the key for c2 (lock = 41aa07…, never expires)",
		"redis1 sends +OK, the answer to SET lock 41aa07… PX 2000 NX, to c2; the network holds it back for 500ms",
		"c2 stops waiting for redis1: time-out",
		"c2 receives +OK, the answer to SET lock 41aa07… PX 2000 NX, from redis1, late",
		"c2 does not get the lock: i/o timeout")
}

// A clock that is off is told of although that began before the story.
func TestStepsOfClocks(t *testing.T) {
	s, _, _, a1 := sampletraces.Two()
	s.See(0, model.Observation{Node: "c1", Kind: model.ClockOff, Ahead: -2500 * ms, Rate: 250_000})
	s.See(0, model.Observation{Node: "c2", Kind: model.ClockOff, Ahead: 2500 * ms}) // who has no part in it
	s.See(10*ms, model.Observation{Node: "c1", Kind: model.ClockJumped, Ahead: -2 * time.Second})
	s.See(20*ms, model.Observation{Node: "redis1", Kind: model.ClockJumped, Ahead: 2500 * ms})
	s.Access(30*ms, a1, 101, model.Write, 7)
	trace := sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}})
	expect(t, trace,
		"c1 has a clock that is 2.5s behind and runs 25% fast",
		"c1 acquires the lock (lock = 9f2c41…, expires in 2s)",
		"c1 has a clock that jumps 2s back",
		"redis1 has a clock that jumps 2.5s ahead")
	if told := tell(trace); strings.Contains(told, "c2 has a clock") {
		t.Errorf("the story is about c1:\n%s", told)
	}
}

func TestStepsOfAHungNode(t *testing.T) {
	s, _, _, a1 := sampletraces.Two()
	s.See(10*ms, model.Observation{Node: "redis1", Kind: model.Paused, For: 7 * time.Second})
	s.See(7010*ms, model.Observation{Node: "redis1", Kind: model.Resumed})
	s.Access(7020*ms, a1, 101, model.Write, 7)
	expect(t, sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}}),
		"redis1 hangs: it accepts what comes and answers nothing, for 7s",
		"redis1 goes on with what has come meanwhile")
}

func TestStepsOfALostReply(t *testing.T) {
	s, conn1, _, a1 := sampletraces.Two()
	r1 := s.Call(10*ms, "c1", model.Release, a1)
	there := s.Send(10100*us, "c1", "redis1", conn1, sampletraces.Command("del", "lock"), 300*us, false)
	s.See(11*ms, model.Observation{Node: "c1", Kind: model.ReplyLost, By: model.Origin{Client: "c1", Conn: conn1, Op: r1.ID}})
	s.Event(11*ms, sim.Event{Kind: sim.EventDrop, Actor: "c1", Peer: "redis1", Conn: conn1, Sent: there + 20*us, Detail: "lost", Payload: []byte(":1\r\n")})
	s.Answer(12*ms, r1, model.Unknown)
	expect(t, sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}}),
		"redis1 sends :1, the answer to DEL lock, to c1, whose connection breaks before it arrives")
}

func TestStepsOfALeaseThatEnds(t *testing.T) {
	s, conn1, _, a1 := sampletraces.Two()
	a1.Leased, a1.Until = true, 1900*ms
	e := s.Call(1000*ms, "c1", model.Extend, a1)
	e.Err = "timeout"
	s.Answer(1001*ms, e, model.Failed)
	s.Access(2000*ms, a1, 101, model.Write, 7)
	s.See(2010*ms, model.Observation{Node: "redis1", Kind: model.RecordExpired, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC1, Owner: model.Origin{Client: "c1", Op: a1.ID}})
	r := s.Call(2100*ms, "c1", model.Release, a1)
	s.Ask(2101*ms, "c1", "redis1", conn1, sampletraces.Command("del", "lock"), []byte(":0\r\n"))
	s.Answer(2102*ms, r, model.OK)
	trace := s.Build()
	wrote := sampletraces.Writes(trace)[0]
	trace.Property = "overrun"
	trace.Verdicts = []model.Verdict{{Property: "overrun", Status: model.Violated, Operations: []int{a1.ID}, From: wrote, To: wrote}}
	expect(t, trace,
		"c1 acquires the lock (lock = 9f2c41…, expires in 2s)",
		"c1 cannot extend its lease: timeout",
		"c1 believes no longer that it holds the lock: its lease ends by its own clock",
		"! c1 writes 7, 100ms after its claim had ended (its lease ends by its own clock)",
		"c1 is told that it has released the lock, but its key no longer existed")
}

// TestStepsOfAReleaseBesideTheKey has releases that report success and remove nothing,
// or something else than their acquisition's key.
func TestStepsOfAReleaseBesideTheKey(t *testing.T) {
	// released has c1 acquire twice and release the first time; its key is over then
	// if it ended before.
	released := func(ends time.Duration, after func(s *sampletraces.Stage, a2, r *model.Operation)) *traces.Trace {
		s, conn1, _, a1 := sampletraces.Two()
		a1.Leased, a1.Until = true, 1900*ms
		s.See(ends, model.Observation{Node: "redis1", Kind: model.RecordDeleted, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC1, Owner: model.Origin{Client: "c1", Op: a1.ID}, By: model.Origin{Client: "c1"}})
		a2 := s.Call(1500*ms, "c1", model.Acquire, nil)
		if ends < 1500*ms {
			s.Grant(1501*ms, a2, conn1, "redis1", "", sampletraces.ValueC2)
		}
		s.Answer(1510*ms, a2, model.OK)
		r := s.Call(2100*ms, "c1", model.Release, a1)
		after(s, a2, r)
		s.Answer(2110*ms, r, model.OK)
		return sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}})
	}
	nothing := func(*sampletraces.Stage, *model.Operation, *model.Operation) {}
	removes := func(s *sampletraces.Stage, a2, r *model.Operation) {
		s.See(2105*ms, model.Observation{Node: "redis1", Kind: model.RecordDeleted, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC2, Owner: model.Origin{Client: "c1", Op: a2.ID}, By: model.Origin{Client: "c1", Op: r.ID}})
	}
	overwrites := func(s *sampletraces.Stage, a2, r *model.Operation) {
		s.Access(2101*ms, s.Ops[0], 101, model.Read, 0)
		s.Access(2104*ms, a2, 101, model.Write, 3)
		s.Access(2107*ms, s.Ops[0], 101, model.Write, 1)
	}
	const told = "c1 is told that it has released the lock, "
	expect(t, released(1400*ms, nothing), told+"but its key no longer existed")
	expect(t, released(2105*ms, nothing), // its process has removed it meanwhile
		"redis1 c1 removes its own key (lock = 9f2c41…)",
		"c1 releases the lock")
	expect(t, released(1400*ms, removes),
		"redis1 c1's release removes the key of another acquisition of c1 (lock = 41aa07…), while c1 believes that it holds the lock",
		told+"though the key was that of another acquisition of c1")
	expect(t, released(1400*ms, overwrites),
		"c1 writes 1 over the 3 of another acquisition of c1: an update is lost, 207ms after its claim had ended (its lease ends by its own clock)")
}

func TestStepsOfARefusedToken(t *testing.T) {
	s, _, conn2, a1 := sampletraces.Two()
	a1.Fenced, a1.Token = true, 1
	s.See(2*time.Second, model.Observation{Node: "redis1", Kind: model.RecordExpired, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC1, Owner: model.Origin{Client: "c1", Op: a1.ID}})
	a2 := s.Call(2001*ms, "c2", model.Acquire, nil)
	_, back := s.Grant(2002*ms, a2, conn2, "redis1", "", sampletraces.ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	a2.Fenced, a2.Token = true, 1
	w2 := s.Call(2010*ms, "c2", model.Write, a2)
	s.See(2011*ms, model.Observation{Node: "register", Kind: model.ResourceWritten, By: model.Origin{Client: "c2", Op: w2.ID}, Number: 1, Fenced: true, Token: 2})
	s.Answer(2012*ms, w2, model.OK)
	w1 := s.Call(2020*ms, "c1", model.Write, a1)
	s.See(2021*ms, model.Observation{Node: "register", Kind: model.ResourceRefused, By: model.Origin{Client: "c1", Op: w1.ID}, Number: 1, Fenced: true, Token: 1})
	s.Answer(2022*ms, w1, model.Failed)
	trace := s.Build()
	trace.Property = "fencing"
	trace.Verdicts = []model.Verdict{{Property: "fencing", Status: model.Violated, Operations: []int{a1.ID, a2.ID}, From: a1.Return, To: a2.Return}}
	expect(t, trace,
		"c1 acquires the lock (lock = 9f2c41…, expires in 2s) with token 1",
		"redis1 the key expires: c1's lease is over, but c1 does not know",
		"! c2 acquires the lock (lock = 41aa07…, expires in 2s) with token 1, not higher than c1's 1 before, while c1 still believes that it holds it",
		"c1 is refused by the resource: its token 1 is lower than 2")
}

func TestStepsOfWaitingForEver(t *testing.T) {
	s, _, conn2, _ := sampletraces.Two()
	a2 := s.Call(3*ms, "c2", model.Acquire, nil)
	s.Poll(4*ms, 3*time.Second, 200*ms, "c2", conn2, "redis1", sampletraces.ValueC2)
	trace := s.Build()
	due := trace.Events[len(trace.Events)-3]
	trace.Property = "progress"
	trace.Verdicts = []model.Verdict{{
		Property: "progress", Status: model.Violated, Operations: []int{a2.ID},
		From: model.Stamp{Seq: due.Seq, At: due.At}, To: trace.History.End,
	}}
	expect(t, trace,
		"c2 asks for the lock",
		"! c2 still waits for the lock, which it should have by now")
}

func TestStepsOfACrashedHolderWithAnotherOwner(t *testing.T) {
	s, _, _, a1 := sampletraces.Two()
	s.See(10*ms, model.Observation{Node: "c1", Kind: model.Crashed})
	other := model.Origin{Client: "c2"}
	owner := model.Origin{Client: "c1", Op: a1.ID}
	s.See(20*ms, model.Observation{Node: "redis1", Kind: model.RecordChanged, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC2, Owner: other, OldOwner: owner, By: other})
	s.See(30*ms, model.Observation{Node: "redis1", Kind: model.RecordDeleted, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC2, Owner: other, By: owner})
	expect(t, sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}}),
		"c1 acquires the lock (lock = 9f2c41…, expires in 2s)",
		"c1 crashes while it holds the lock",
		"redis1 replaces c1's value of the key by c2's (lock = 41aa07…)",
		"redis1 c1 removes c2's key (lock = 41aa07…)")
}

// TestStepOfAnOverwrittenLock: a lock that another overwrites while its holder believes to have it is where
// owner-only-release is broken, and not what follows.
func TestStepOfAnOverwrittenLock(t *testing.T) {
	for _, test := range []struct {
		at   time.Duration
		want string
	}{
		{20 * ms, "! redis1 replaces c1's value of the key by c2's (lock = 41aa07…)"},
		{60 * ms, "redis1 replaces c1's value of the key by c2's (lock = 41aa07…)"}, // it has been released
	} {
		s, _, _, a1 := sampletraces.Two()
		other, owner := model.Origin{Client: "c2"}, model.Origin{Client: "c1", Op: a1.ID}
		s.Call(50*ms, "c1", model.Release, a1)
		s.See(test.at, model.Observation{Node: "redis1", Kind: model.RecordChanged, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC2, Owner: other, OldOwner: owner, By: other})
		s.Event(70*ms, sim.Event{Kind: sim.EventStep, Actor: "c1"})
		trace := sampletraces.Violated(s, model.Verdict{Property: "owner-only-release", Operations: []int{a1.ID}})
		if told := tell(trace); !strings.Contains("\n"+told, "\n"+test.want+"\n") {
			t.Errorf("at %v: it tells\n%swant %s", test.at, told, test.want)
		}
	}
}

// TestStepsOfAnEmptiedRecord: where clients measure the ends of records, one without a value has no holder.
func TestStepsOfAnEmptiedRecord(t *testing.T) {
	s, _, _, a1 := sampletraces.Two()
	s.T.Terms.Measured = true
	owner := model.Origin{Client: "c1", Op: a1.ID}
	s.See(10*ms, model.Observation{Node: "redis1", Kind: model.RecordChanged, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC1, Owner: owner, OldOwner: owner, By: model.Origin{Client: "c1"}, ExpiresAt: 3 * time.Second})
	a2 := s.Call(20*ms, "c2", model.Acquire, nil)
	r := s.Call(30*ms, "c1", model.Release, a1)
	s.See(31*ms, model.Observation{Node: "redis1", Kind: model.RecordChanged, Authority: "redis1", Key: "lock", Owner: model.Origin{Client: "c1", Op: r.ID}, OldOwner: owner, By: model.Origin{Client: "c1", Op: r.ID}})
	s.Answer(40*ms, r, model.OK)
	other := model.Origin{Client: "c2", Op: a2.ID}
	s.See(41*ms, model.Observation{Node: "redis1", Kind: model.RecordChanged, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC2, Owner: other, OldOwner: model.Origin{Client: "c1", Op: r.ID}, By: other, ExpiresAt: 3 * time.Second})
	s.Answer(42*ms, a2, model.OK)
	again := s.Call(50*ms, "c1", model.Release, a1)
	s.See(51*ms, model.Observation{Node: "redis1", Kind: model.RecordChanged, Authority: "redis1", Key: "lock", Owner: model.Origin{Client: "c1", Op: again.ID}, OldOwner: other, By: model.Origin{Client: "c1", Op: again.ID}})
	s.Answer(52*ms, again, model.OK)
	late := s.Call(60*ms, "c2", model.Release, a2)
	s.Answer(62*ms, late, model.OK)
	trace := sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID, a2.ID}})
	expect(t, trace,
		"c1 releases the lock",
		"c2 acquires the lock (lock = 41aa07…, expires in 2.96s)",
		"redis1 c1's release empties c2's key (lock): it has no holder, while c2 believes that it holds the lock",
		"c1 is told that it has released the lock, though the key was c2's",
		"c2 is told that it has released the lock, but no longer had the key")
	if told := tell(trace); strings.Contains(told, "without an expiry") || strings.Contains(told, "replaces") {
		t.Errorf("it tells\n%s", told)
	}
}

func TestStepsWithoutNamedOperations(t *testing.T) {
	trace := sampletraces.GCPause()
	v := trace.Verdict()
	v.Operations, v.Observations = nil, nil
	if told := tell(trace); !strings.Contains(told, "! c1 writes 1 over c2's 1: an update is lost") {
		t.Errorf("the story is lost:\n%s", told)
	}
	v.From, v.To = model.Stamp{}, model.Stamp{}
	if told := tell(trace); !strings.Contains(told, "! c1 writes 1 over c2's 1: an update is lost") {
		t.Errorf("the story is lost without a window:\n%s", told)
	}
}

func TestStepsOfNothing(t *testing.T) {
	if steps := Steps(new(traces.Trace)); len(steps) != 0 {
		t.Errorf("got %v", steps)
	}
}

func TestClaimsEndWithTheFirstReason(t *testing.T) {
	build := func(change func(s *sampletraces.Stage, a *model.Operation)) Claim {
		s, _, _, a1 := sampletraces.Two()
		change(s, a1)
		s.Event(5*time.Second, sim.Event{Kind: sim.EventStep, Actor: "c1"})
		return claims(s.Build())[0]
	}
	for _, c := range []struct {
		end    ClaimEnd
		at     time.Duration
		change func(s *sampletraces.Stage, a *model.Operation)
	}{
		{endOpen, 5 * time.Second, func(*sampletraces.Stage, *model.Operation) {}},
		{endReleased, 40 * ms, func(s *sampletraces.Stage, a *model.Operation) {
			s.Call(40*ms, "c1", model.Release, a)
			s.Call(50*ms, "c1", model.Release, a)
		}},
		{endExpired, 2 * time.Second, func(s *sampletraces.Stage, a *model.Operation) { a.Leased, a.Until = true, 2*time.Second }},
		{endExpired, 3 * time.Second, func(s *sampletraces.Stage, a *model.Operation) {
			a.Leased, a.Until = true, 2*time.Second
			e := s.Call(1*time.Second, "c1", model.Extend, a)
			e.Leased, e.Until = true, 3*time.Second
			s.Answer(1001*ms, e, model.OK)
		}},
		{endCrashed, 30 * ms, func(s *sampletraces.Stage, a *model.Operation) {
			a.Leased, a.Until = true, 2*time.Second
			s.See(30*ms, model.Observation{Node: "c1", Kind: model.Crashed})
		}},
		{endLost, 20 * ms, func(s *sampletraces.Stage, a *model.Operation) {
			a.Notifies = true
			s.Event(20*ms, sim.Event{Kind: sim.EventMark, Actor: "c1", Detail: "lost"}, &a.Lost)
			s.Call(40*ms, "c1", model.Release, a)
		}},
	} {
		if got := build(c.change); got.End != c.end || got.To.At != c.at {
			t.Errorf("ends at %v because %s, want %v because %s", got.To.At, got.End, c.at, c.end)
		}
	}
}

func TestReignsOfAFailover(t *testing.T) {
	trace := sampletraces.FailoverLoss()
	for _, c := range []struct {
		node string
		want []Role
	}{
		{"redis1", []Role{roleServing, RoleDown, roleFollowing}},
		{"redis2", []Role{roleFollowing, roleServing}},
	} {
		var got []Role
		for _, r := range reigns(trace, c.node) {
			got = append(got, r.Role)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.node, got, c.want)
		}
	}
}

func TestReignsOfAPartition(t *testing.T) {
	s, _, _, _ := sampletraces.Two()
	s.See(time.Second, model.Observation{Node: "redis2", Kind: model.Promoted})
	s.See(2*time.Second, model.Observation{Node: "redis1", Kind: model.Returned})
	var got []Role
	for _, r := range reigns(s.Build(), "redis1") {
		got = append(got, r.Role)
	}
	if want := []Role{roleServing, roleStale, roleFollowing}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLostUpdateMarksTheOverwrite: what is marked of a lost update is the write that the sentence
// tells of, though other harm was done in the same window.
func TestLostUpdateMarksTheOverwrite(t *testing.T) {
	s := &Plot{
		Verdict: &model.Verdict{Property: "a-property", From: model.Stamp{Seq: 10}, To: model.Stamp{Seq: 30}},
		Broken:  model.Description{Harm: model.LastHarm},
	}
	steps := []candidate{
		{Step: Step{Seq: 5}, harm: true}, {Step: Step{Seq: 12}, harm: true}, {Step: Step{Seq: 20}},
		{Step: Step{Seq: 30}, harm: true}, {Step: Step{Seq: 31}, harm: true},
	}
	if i := (&chooser{Plot: s}).harmStep(steps); i != 3 {
		t.Errorf("step %d is marked, want the overwrite, 3", i)
	}
	s.Broken.Harm = model.FirstHarm
	if i := (&chooser{Plot: s}).harmStep(steps); i != 1 {
		t.Errorf("step %d is marked, want the first harm, 1", i)
	}
}

// TestRepeatedStepsAreOne: three steps of one text or more are one, each actor's for itself; not if another step comes between
// them, nor what decides the verdict.
func TestRepeatedStepsAreOne(t *testing.T) {
	for _, c := range []struct{ steps, want string }{
		{"c1:x c1:x", "c1:x c1:x"},
		{"c1:x c1:x c1:x", "c1:x+2"},
		{"c1:x c2:x c1:x c2:x c1:x", "c1:x+2 c2:x c2:x"},
		{"c1:x c2:x c1:x c2:x c1:x c2:x", "c1:x+2 c2:x+2"},
		{"c1:x c1:x c2:y c1:x", "c1:x c1:x c2:y c1:x"},
		{"c1:x c1:x c1:x c2:y c1:x c1:x c1:x c1:x", "c1:x+2 c2:y c1:x+3"},
		{"c1:x c1:x! c1:x c1:x c1:x", "c1:x c1:x c1:x+2"},
	} {
		var all []candidate
		for i, word := range strings.Fields(c.steps) {
			word, decides := strings.CutSuffix(word, "!")
			actor, text, _ := strings.Cut(word, ":")
			weight := helpful
			if decides {
				weight = decisive
			}
			all = append(all, step(model.Stamp{Seq: int64(i + 1), At: time.Duration(i) * time.Second}, actor, text, weight))
		}
		last := all[len(all)-1].At
		slices.Reverse(all) // they come in any order
		var got []string
		for _, k := range folded(all) {
			text := k.Actor + ":" + k.Text
			if n := len(k.again); n > 0 {
				text += fmt.Sprintf("+%d", n)
				if k.again[n-1].At > last || !slices.IsSortedFunc(k.again, func(a, b model.Stamp) int { return int(a.Seq - b.Seq) }) {
					t.Errorf("%s: again at %v", c.steps, k.again)
				}
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.steps, got, c.want)
		}
	}
}
