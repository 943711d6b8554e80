package story

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
)

// TestClaimsOfALapsedLease: in the gap between the end of a lease and its renewal
// nobody is said to believe in it, in the story and in the picture as in the
// verdicts.
func TestClaimsOfALapsedLease(t *testing.T) {
	trace := sampletraces.Lapsed()
	type stretch struct {
		client   string
		from, to time.Duration
		end      ClaimEnd
	}
	var got []stretch
	for _, c := range claims(trace) {
		got = append(got, stretch{c.Acquire.Client, c.From.At.Round(ms), c.To.At.Round(ms), c.End})
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
		if c.Covers(trace.History.Operations[2].Return.Seq) {
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
}

// TestClaimsOfALeaseThatGoesOn: what the client sees when it looks before an access
// is told where no Extend tells it.
func TestClaimsOfALeaseThatGoesOn(t *testing.T) {
	s, _, _, a1 := sampletraces.Two()
	a1.Leased, a1.Until = true, time.Second
	s.Access(1500*ms, a1, 101, model.Write, 1)
	s.Ops[1].Leased, s.Ops[1].Until = true, 2*time.Second
	expect(t, sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}}),
		"c1 believes no longer that it holds the lock: its lease ends by its own clock",
		"c1 learns that its lease goes on to 2.000s, and believes again that it holds the lock",
		"c1 writes 1")
}

// TestOneNumberOfAnOverrun: by how much an access was late is counted from the
// lease's end, which is what the verdict says, also if the client had released
// the lock before.
func TestOneNumberOfAnOverrun(t *testing.T) {
	s, conn1, _, a1 := sampletraces.Two()
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
