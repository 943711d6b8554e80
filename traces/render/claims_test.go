package render

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// lapsed is a lease that runs out and goes on later: c1's ends at 2s, c2 has the
// lock from 2.1s to 2.3s, and at 2.5s c1's Extend reports success.
func lapsed() *traces.Trace {
	s, _, conn2, a1 := two()
	s.T.Scenario, s.T.Lock = "gc-pause", "setpx"
	a1.Leased, a1.Until = true, 2*time.Second
	owner := model.Origin{Client: "c1", Conn: 1, Op: a1.ID}
	s.Access(10*ms, a1, 101, model.Read, 0)
	s.Expire(2003*ms, "redis1", "", sampletraces.ValueC1, owner)
	a2 := s.Call(2100*ms, "c2", model.Acquire, nil)
	_, back := s.Grant(2101*ms, a2, conn2, "redis1", "", sampletraces.ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	s.ReleaseOwn(2300*ms, a2, conn2, "redis1", "", sampletraces.ValueC2)
	e := s.Call(2500*ms, "c1", model.Extend, a1)
	e.Leased, e.Until = true, 4500*ms
	s.Answer(2501*ms, e, model.OK)
	s.Access(2600*ms, a1, 101, model.Write, 1)
	return verdict(s, model.Verdict{
		Property: "truthful-extend", Operations: []int{a1.ID, a2.ID, e.ID}, Sentence: "c1's extend reported success though its lease had ended.",
		From: model.Stamp{At: 2500 * ms}, To: model.Stamp{At: 2501 * ms},
	})
}

// TestClaimsOfALapsedLease: in the gap between the end of a lease and its renewal
// nobody is said to believe in it, in the story and in the picture as in the
// verdicts.
func TestClaimsOfALapsedLease(t *testing.T) {
	trace := lapsed()
	type stretch struct {
		client   string
		from, to time.Duration
		end      claimEnd
	}
	var got []stretch
	for _, c := range claims(trace) {
		got = append(got, stretch{c.acquire.Client, c.from.At.Round(ms), c.to.At.Round(ms), c.end})
	}
	want := []stretch{
		{"c1", 3 * ms, 2 * time.Second, endExpired},
		{"c1", 2501 * ms, 2603 * ms, endOpen},
		{"c2", 2102 * ms, 2300 * ms, endReleased},
	}
	want[1].to = trace.EndAt().Round(ms)
	if !slices.Equal(got, want) {
		t.Errorf("claims %v\nwant   %v", got, want)
	}
	for _, c := range claims(trace)[:1] {
		if c.covers(trace.History.Operations[2].Return.Seq) {
			t.Error("c1 is said to believe while c2 acquires the lock")
		}
	}
	expect(t, trace,
		"c1 believes no longer that it holds the lock: its lease ends by its own clock",
		"c2 acquires the lock (lock = 41aa07…, expires in 2s)",
		"c1 extends its lease to 4.500s, and believes again that it holds the lock",
		"c1 writes 1")
	if told := tell(trace); strings.Contains(told, "still believes") || strings.Contains(told, "after its claim had ended") {
		t.Errorf("two believe:\n%s", told)
	}
	golden.File(t, "testdata/lapsed.svg", draw(t, trace))
}

// TestClaimsOfALeaseThatGoesOn: what the client sees when it looks before an access
// is told where no Extend tells it.
func TestClaimsOfALeaseThatGoesOn(t *testing.T) {
	s, _, _, a1 := two()
	a1.Leased, a1.Until = true, time.Second
	s.Access(1500*ms, a1, 101, model.Write, 1)
	s.Ops[1].Leased, s.Ops[1].Until = true, 2*time.Second
	expect(t, verdict(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}}),
		"c1 believes no longer that it holds the lock: its lease ends by its own clock",
		"c1 learns that its lease goes on to 2.000s, and believes again that it holds the lock",
		"c1 writes 1")
}

// TestOneNumberOfAnOverrun: by how much an access was late is counted from the
// lease's end, which is what the verdict says, also if the client had released
// the lock before.
func TestOneNumberOfAnOverrun(t *testing.T) {
	s, conn1, _, a1 := two()
	a1.Leased, a1.Until = true, 1900*ms
	w := s.Call(100*ms, "c1", model.Write, a1)
	r := s.Call(500*ms, "c1", model.Release, a1)
	s.Answer(501*ms, r, model.OK)
	s.See(2437*ms, model.Observation{Node: "register", Kind: model.ResourceWritten, Number: 1, By: model.Origin{Client: "c1", Conn: conn1, Op: w.ID}})
	trace := s.Build()
	v := model.Verdict{Property: "overrun", Status: model.Violated, Operations: []int{a1.ID, w.ID}, From: model.Stamp{Seq: r.Return.Seq, At: 1900 * ms}, To: sampletraces.Writes(trace)[0]}
	trace.Property, trace.Verdicts = v.Property, []model.Verdict{v}
	expect(t, trace, "! c1 writes 1, 537ms after its lease had ended")
}
