package render

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
func entriesOf(x *exchange) []string {
	roles := [...]string{roleSent: "sent", roleBack: "back", roleDid: "did", roleAgain: "again"}
	var all []string
	for _, e := range x.entries {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s: %s", roles[e.role], e.actor, e.text)+strings.Repeat(" ?", count01(e.doubt))))
	}
	return all
}

// TestExchanges: what an operation sent, what came back and what nodes did.
func TestExchanges(t *testing.T) {
	p := newPicture(newStory(sampletraces.GCPause()))
	all := p.allExchanges()
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
			if o := all[i].op; o.Client != "c1" || o.Kind != c.kind {
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
		p := newPicture(newStory(sample.Make()))
		known, again, silent := map[int64]int{}, 0, 0
		for _, x := range p.allExchanges() {
			if x.unclear > 0 {
				t.Errorf("%s: operation %d has %d unclear segments", sample.Name, x.op.ID, x.unclear)
			}
			for _, e := range x.entries {
				if e.role == roleAgain {
					again += 2 * timesOf(t, e.text)
				} else if e.role != roleDid {
					known[e.seq]++
				}
				if e.doubt {
					t.Errorf("%s: %s is doubtful, and every client has one thread", sample.Name, e.text)
				}
			}
		}
		for _, e := range p.sentByClients() {
			inside := false
			for i := range p.t.History.Operations {
				o := &p.t.History.Operations[i]
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
		p := newPicture(newStory(s.Build()))
		all := p.allExchanges()
		first, second := strings.Join(entriesOf(&all[0]), "\n"), strings.Join(entriesOf(&all[1]), "\n")
		if strings.Contains(first, "grante") || !strings.Contains(second, "grante") {
			t.Errorf("of the request that was granted, the first has %q, the second %q", first, second)
		}
		if threads == 2 && (!strings.Contains(first, "denied") || strings.Count(first, "?") != 2 || all[0].unclear != 0) {
			t.Errorf("of the request that was denied, the first has %q and %d", first, all[0].unclear)
		}
		if threads == 9 && (first != "" || all[0].unclear != 2) {
			t.Errorf("of the request that was denied, the first of nine has %q and %d", first, all[0].unclear)
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
	s := newStory(crowdOf(n))
	var x exchanges
	took := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x = s.newExchanges()
		}
	})
	if most := int64(n * 4096); took.AllocedBytesPerOp() > most {
		t.Errorf("%d bytes, want at most %d", took.AllocedBytesPerOp(), most)
	}
	for _, o := range s.t.History.Operations {
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
	story := newStory(s.Build())
	x := story.newExchanges()
	want, few := map[int]int{}, 0
	for _, e := range story.sentByClients() {
		var under []*model.Operation
		for i := range story.t.History.Operations {
			if o := &story.t.History.Operations[i]; o.Call.At <= e.Sent && returns(o) >= e.Sent {
				under = append(under, o)
			}
		}
		under = narrow(under, func(o *model.Operation) bool { return returns(o) > e.Sent })
		under = narrow(under, func(o *model.Operation) bool { return usesResource(o) == isUse(e, story.t) })
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

// TestManyEarlierLimits: of many overlaps the first are marked, and the page says so; there are
// no fewer than by comparing every two claims.
func TestManyEarlierLimits(t *testing.T) {
	for _, n := range []int{5, 60} {
		s := sampletraces.NewStage("gc-pause", "setpx", 2)
		var last *model.Operation
		for i := range n {
			last = s.Call(time.Duration(10+i)*ms, fmt.Sprint("c", 1+i%2), model.Acquire, nil)
			last.Thread = i / 7
			s.Answer(time.Duration(10+i)*ms+us, last, model.OK)
			if i%3 == 0 {
				s.Answer(time.Duration(10+i)*ms+3*us, s.Call(time.Duration(10+i)*ms+2*us, last.Client, model.Release, last), model.OK)
			}
		}
		trace := s.Build()
		from := trace.History.Operation(last.ID).Return
		trace.Property = "mutual-exclusion"
		trace.Verdicts = []model.Verdict{{Property: "mutual-exclusion", Status: model.Violated, Operations: []int{last.ID}, From: from, To: from}}
		story := newStory(trace)
		var want []overlap
		for i := range story.claims {
			for j := range story.claims {
				a, b := &story.claims[i], &story.claims[j]
				same := a.acquire.Client == b.acquire.Client && a.acquire.Thread == b.acquire.Thread
				if !same && a.covers(b.from.Seq) && b.from.Seq < from.Seq {
					want = append(want, overlap{i, j})
				}
			}
		}
		got, more := story.overlaps(from.Seq)
		said := strings.Contains(strings.Join(newPicture(story).omitted(), " "), "marks the first 200 overlaps")
		if len(want) > maxLimits {
			if !more || !said || len(got) != maxLimits {
				t.Errorf("%d overlaps, more: %v, the page says so: %v", len(got), more, said)
			}
			for _, o := range got {
				if !slices.Contains(want, o) {
					t.Errorf("%v do not overlap", o)
				}
			}
		} else if more || said || fmt.Sprint(got) != fmt.Sprint(want) || len(want) == 0 {
			t.Errorf("overlaps are %v, want %v; more: %v, said: %v", got, want, more, said)
		}
	}
}

// TestUntold: a run with more steps than are told says how many, and of how many
// acquisitions.
func TestUntold(t *testing.T) {
	s := newStory(busyTrace(10))
	steps := s.steps()
	want := fmt.Sprintf("%d of %d steps are shown", MaxSteps, MaxSteps+s.left)
	if s.left == 0 || len(steps) != MaxSteps || !strings.Contains(s.omittedSteps(steps), want) {
		t.Errorf("%d steps, %d left: %q", len(steps), s.left, s.omittedSteps(steps))
	}
	if page := view(t, s.t); !strings.Contains(page, want) {
		t.Error("the page does not say it")
	}
	few := newStory(sampletraces.Calm())
	if text := few.omittedSteps(few.steps()); text != "" && few.left == 0 {
		t.Errorf("all steps are shown, and the page says %q", text)
	}
	many := sampletraces.NewStage("gc-pause", "setpx", 2)
	for i := range maxUnnamed + 20 {
		o := many.Call(time.Duration(i)*ms, "c1", model.Acquire, nil)
		many.Answer(time.Duration(i)*ms+us, o, model.OK)
	}
	s = newStory(many.Build())
	if text := s.omittedSteps(s.steps()); !strings.Contains(text, "the first 100 acquisitions, of 120") {
		t.Errorf("%q", text)
	}
}

// TestEarlierLimits: an overlap before the one that is judged a fault is marked as a limit;
// none is if the verdict is of the first, or is a limit itself.
func TestEarlierLimits(t *testing.T) {
	s := sampletraces.NewStage("gc-pause", "setpx", 2)
	hold := func(client string, from, to time.Duration) (acquire *model.Operation) {
		a := s.Call(from-ms, client, model.Acquire, nil)
		s.Answer(from, a, model.OK)
		r := s.Call(to, client, model.Release, a)
		s.Answer(to+ms, r, model.OK)
		return a
	}
	hold("c1", 10*ms, 40*ms)
	hold("c2", 20*ms, 50*ms)
	hold("c1", 100*ms, 140*ms)
	last := hold("c2", 120*ms, 150*ms)
	trace := s.Build()
	from := trace.History.Operation(last.ID).Return
	trace.Property = "mutual-exclusion"
	trace.Verdicts = []model.Verdict{{Property: "mutual-exclusion", Status: model.Violated, Operations: []int{3, last.ID}, From: from, To: model.Stamp{Seq: from.Seq + 1, At: 140 * ms}}}
	limits, _ := newStory(trace).earlierLimits()
	if len(limits) != 1 || limits[0].from.At != 20*ms || limits[0].to.At != 40*ms {
		t.Errorf("%v", limits)
	}
	page := view(t, trace)
	if !strings.Contains(page, `class="overlap"`) || !strings.Contains(page, "a limit: c1 and c2 both believe") {
		t.Error("the picture does not mark it")
	}
	trace.Verdicts[0].Limit = true
	if limits, _ := newStory(trace).earlierLimits(); len(limits) != 0 {
		t.Errorf("the verdict is a limit, and %v is one before it", limits)
	}
}
