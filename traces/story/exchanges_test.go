package story

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// entriesOf are the entries of an operation, a line each.
func entriesOf(x *Exchange) []string {
	roles := [...]string{roleSent: "sent", roleBack: "back", roleDid: "did", roleAgain: "again"}
	var all []string
	for _, e := range x.Entries {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s: %s", roles[e.Role], e.Actor, e.Text)+strings.Repeat(" ?", count01(e.Doubt))))
	}
	return all
}

// TestExchanges: what an operation sent, what came back and what nodes did.
func TestExchanges(t *testing.T) {
	p := Of(sampletraces.GCPause())
	all := p.Exchanges().All()
	for _, c := range []struct {
		kind model.OpKind
		want []string
	}{
		{model.Acquire, []string{
			"sent c1: SET lock 9f2c41… PX 2000 NX (to redis1", "did redis1: creates key lock = 9f2c41…, until 2.002732s",
			"back c1: +OK (from redis1", "did redis2: creates key lock = 9f2c41…", "did redis1: key lock = 9f2c41… expires", "did redis2: key lock = 9f2c41… expires",
		}},
		{model.Read, []string{"sent c1: ", "did register: is read: 0", "back c1: "}},
		{model.Write, []string{"sent c1: ", "did register: is written: 1", "back c1: "}},
	} {
		for i := range all {
			if o := all[i].Op; o.Client != "c1" || o.Kind != c.kind {
				continue
			}
			got := entriesOf(&all[i])
			for j, want := range c.want {
				if j >= len(got) || !strings.HasPrefix(got[j], want) {
					t.Errorf("%s: entries\n%s\nwant entry %d %q", c.kind, strings.Join(got, "\n"), j, want)
					break
				}
			}
		}
	}
}

// TestExchangesHaveEverySegmentOnce: every segment that a client sent or received while it
// was in an operation belongs to one, if it has one thread.
func TestExchangesHaveEverySegmentOnce(t *testing.T) {
	for _, sample := range sampletraces.Samples {
		p := Of(sample.Make())
		known, again, silent := map[int64]int{}, 0, 0
		for _, x := range p.Exchanges().All() {
			if x.Unclear > 0 {
				t.Errorf("%s: operation %d has %d unclear segments", sample.Name, x.Op.ID, x.Unclear)
			}
			for _, e := range x.Entries {
				if e.Role == roleAgain {
					again += 2 * timesOf(t, e.Text)
				} else if e.Role != roleDid {
					known[e.Seq]++
				}
				if e.Doubt {
					t.Errorf("%s: %s is doubtful, and every client has one thread", sample.Name, e.Text)
				}
			}
		}
		for _, e := range p.Exchanges().sentByClients() {
			inside := false
			for i := range p.Trace.History.Operations {
				o := &p.Trace.History.Operations[i]
				inside = inside || o.Client == e.Peer && o.Call.At <= e.Sent && (!o.Return.Happened() || e.Sent < o.Return.At)
			}
			switch {
			case !inside || known[e.Seq] == 1:
			case known[e.Seq] == 0:
				silent += 2 // with its answer
			default:
				t.Errorf("%s: event %d is in %d entries", sample.Name, e.Seq, known[e.Seq])
			}
		}
		if silent != again {
			t.Errorf("%s: %d segments are in no entry, and entries say that %d came again", sample.Name, silent, again)
		}
	}
}

// timesOf is how often an entry says that others came again.
func timesOf(t *testing.T, text string) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "the same %d times more", &n); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return n
}

// TestExchangesOfThreads: what a node did tells whose a request was; what nothing tells is
// marked, or counted if there are too many threads.
func TestExchangesOfThreads(t *testing.T) {
	for _, threads := range []int{2, 9} {
		s := sampletraces.NewStage("gc-pause", "setpx", 2)
		conn, _ := s.Connect(100*us, "c1", "redis1")
		var ops []*model.Operation
		for i := range threads {
			o := s.Call(5*ms, "c1", model.Acquire, nil)
			o.Thread = i
			ops = append(ops, o)
		}
		s.Deny(6*ms, "c1", conn, "redis1", "denied")
		_, back := s.Grant(8*ms, ops[1], conn, "redis1", "", "granted")
		s.Answer(back+us, ops[1], model.OK)
		p := Of(s.Build())
		all := p.Exchanges().All()
		first, second := strings.Join(entriesOf(&all[0]), "\n"), strings.Join(entriesOf(&all[1]), "\n")
		if strings.Contains(first, "grante") || !strings.Contains(second, "grante") {
			t.Errorf("of the request that was granted, the first has %q, the second %q", first, second)
		}
		if threads == 2 && (!strings.Contains(first, "denied") || strings.Count(first, "?") != 2 || all[0].Unclear != 0) {
			t.Errorf("of the request that was denied, the first has %q and %d", first, all[0].Unclear)
		}
		if threads == 9 && (first != "" || all[0].Unclear != 2) {
			t.Errorf("of the request that was denied, the first of nine has %q and %d", first, all[0].Unclear)
		}
	}
}

// crowdOf is a run in which so many threads of a client wait for the lock, and as many messages
// pass.
func crowdOf(n int) *traces.Trace {
	s := sampletraces.NewStage("gc-pause", "setpx", 2)
	conn, _ := s.Connect(100*us, "c1", "redis1")
	for i := range n {
		s.Call(5*ms, "c1", model.Acquire, nil).Thread = i
	}
	for i := range n / 2 { // each with an answer
		s.Deny(6*ms+time.Duration(i)*ms, "c1", conn, "redis1", "denied")
	}
	return s.Build()
}

// TestCrowdTakesLittle: what is stored of the exchanges of a crowd grows with the threads and the
// messages, not with their product; each operation still has the number of them.
func TestCrowdTakesLittle(t *testing.T) {
	const n = 4000
	s := Of(crowdOf(n))
	var x *Exchanges
	took := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x = newExchanges(s.Log)
		}
	})
	if most := int64(n * 4096); took.AllocedBytesPerOp() > most {
		t.Errorf("%d bytes, want at most %d", took.AllocedBytesPerOp(), most)
	}
	for _, o := range s.Trace.History.Operations {
		if x.unclear[o.ID] != n {
			t.Fatalf("operation %d has %d unclear messages, want %d", o.ID, x.unclear[o.ID], n)
		}
	}
}

// TestCrowds: the counts are those of looking at every operation for every segment.
func TestCrowds(t *testing.T) {
	s := sampletraces.NewStage("gc-pause", "setpx", 2)
	conn, _ := s.Connect(100*us, "c1", "redis1")
	var ops []*model.Operation
	for i := range 40 {
		kind := model.Acquire
		if i%3 == 0 {
			kind = model.Write
		}
		o := s.Call(5*ms+time.Duration(i)*300*us, "c1", kind, nil)
		o.Thread = i
		ops = append(ops, o)
	}
	for i, o := range ops {
		if i%4 != 0 {
			s.Answer(9*ms+time.Duration(i*37%23)*ms, o, model.OK)
		}
	}
	for i := range 60 {
		s.Deny(5*ms+time.Duration(i)*500*us, "c1", conn, "redis1", "denied")
	}
	story := Of(s.Build())
	x := newExchanges(story.Log)
	want, few := map[int]int{}, 0
	for _, e := range x.sentByClients() {
		var under []*model.Operation
		for i := range story.Trace.History.Operations {
			if o := &story.Trace.History.Operations[i]; o.Call.At <= e.Sent && returns(o) >= e.Sent {
				under = append(under, o)
			}
		}
		under = narrow(under, func(o *model.Operation) bool { return returns(o) > e.Sent })
		under = narrow(under, func(o *model.Operation) bool { return usesResource(o) == isUse(e, story.Trace) })
		if len(under) <= maxDoubt {
			few++
			if got := fmt.Sprint(x.by[e.Seq]); got != fmt.Sprint(idsOf(under)) {
				t.Errorf("event %d is of %s, want %v", e.Seq, got, idsOf(under))
			}
			continue
		}
		for _, o := range under {
			want[o.ID] += 2 // with the answer
		}
	}
	if fmt.Sprint(x.unclear) != fmt.Sprint(want) || len(want) == 0 || few == 0 {
		t.Errorf("unclear are %v, want %v; %d segments are of few", x.unclear, want, few)
	}
}

// TestManyEarlierLimits: of many overlaps the first are marked; there are
// no fewer than by comparing every two claims.
func TestManyEarlierLimits(t *testing.T) {
	for _, n := range []int{5, 60} {
		trace, last := sampletraces.Overlaps(n)
		from := trace.History.Operation(last.ID).Return
		story := Of(trace)
		var want []overlap
		for i := range story.Claims {
			for j := range story.Claims {
				a, b := &story.Claims[i], &story.Claims[j]
				same := a.Acquire.Client == b.Acquire.Client && a.Acquire.Thread == b.Acquire.Thread
				if !same && a.Covers(b.From.Seq) && b.From.Seq < from.Seq {
					want = append(want, overlap{i, j})
				}
			}
		}
		got, more := story.overlaps(from.Seq)
		if len(want) > MaxLimits {
			if !more || len(got) != MaxLimits {
				t.Errorf("%d overlaps, more: %v", len(got), more)
			}
			for _, o := range got {
				if !slices.Contains(want, o) {
					t.Errorf("%v do not overlap", o)
				}
			}
		} else if more || fmt.Sprint(got) != fmt.Sprint(want) || len(want) == 0 {
			t.Errorf("overlaps are %v, want %v; more: %v", got, want, more)
		}
	}
}

// TestOmittedSteps: a run with more steps than are shown says how many, and of how many
// acquisitions.
func TestOmittedSteps(t *testing.T) {
	s := Of(sampletraces.Busy(10))
	shown, all := 0, 0
	if _, err := fmt.Sscanf(s.Omitted, "%d of %d steps are shown", &shown, &all); err != nil || shown != MaxSteps || len(s.Steps) != MaxSteps || all <= MaxSteps {
		t.Errorf("%d steps: %q", len(s.Steps), s.Omitted)
	}
	few := Of(sampletraces.Calm())
	if _, err := fmt.Sscanf(few.Omitted, "%d of %d steps are shown", &shown, &all); few.Omitted != "" && (err != nil || all <= shown) {
		t.Errorf("%d steps: %q", len(few.Steps), few.Omitted)
	}
	many := sampletraces.NewStage("gc-pause", "setpx", 2)
	for i := range maxUnnamed + 20 {
		o := many.Call(time.Duration(i)*ms, "c1", model.Acquire, nil)
		many.Answer(time.Duration(i)*ms+us, o, model.OK)
	}
	s = Of(many.Build())
	if text := s.Omitted; !strings.Contains(text, "the first 100 acquisitions, of 120") {
		t.Errorf("%q", text)
	}
}
