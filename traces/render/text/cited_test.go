package text

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestStepsThatDecide: what the verdict names is told, however much else there is that weighs more. Where
// the verdict does not name it, it gives way.
func TestStepsThatDecide(t *testing.T) {
	type play struct {
		*sampletraces.Stage
		a1    *model.Operation
		conn1 int
		owner model.Origin
	}
	key := func(p *play, at time.Duration, kind model.ObservationKind, name string, change func(o *model.Observation)) *model.Observation {
		o := model.Observation{Node: "redis1", Kind: kind, Authority: "redis1", Key: name, Value: "x", Owner: p.owner, By: p.owner}
		change(&o)
		return p.See(at, o)
	}
	same := func(*model.Observation) {}
	for _, test := range []struct {
		name string
		// happen is what decides, with the operations and observations that the verdict names.
		happen func(p *play) (ops []int, seen []*model.Observation)
		want   string
	}{
		{"the end of a caller's context", func(p *play) ([]int, []*model.Observation) {
			r := p.Call(20*ms, "c1", model.Release, p.a1)
			p.Event(25*ms, sim.Event{Kind: sim.EventStep, Actor: "c1"}, &r.Cancelled)
			p.Answer(400*ms, r, model.Unknown)
			return []int{r.ID}, nil
		}, "c1 stops waiting: the context of its release ends"},
		{"an extension", func(p *play) ([]int, []*model.Observation) {
			x := p.Call(20*ms, "c1", model.Extend, p.a1)
			p.Ask(21*ms, "c1", "redis1", p.conn1, sampletraces.Command("pexpire", "lock", "2000"), []byte(":0\r\n"))
			p.Answer(30*ms, x, model.OK)
			return []int{x.ID}, nil
		}, "c1 extends its lease"},
		{"and its answer", func(p *play) ([]int, []*model.Observation) {
			x := p.Call(20*ms, "c1", model.Extend, p.a1)
			p.Ask(21*ms, "c1", "redis1", p.conn1, sampletraces.Command("pexpire", "lock", "2000"), []byte(":0\r\n"))
			p.Answer(30*ms, x, model.OK)
			return []int{x.ID}, nil
		}, "redis1 answers c1's PEXPIRE lock 2000 with :0"},
		{"a record that loses its lease", func(p *play) ([]int, []*model.Observation) {
			key(p, 20*ms, model.RecordCreated, "lock2", func(o *model.Observation) { o.Session = "7" })
			return nil, []*model.Observation{key(p, 21*ms, model.RecordChanged, "lock2", same)}
		}, "redis1 changes key lock2 = x for c1"},
		{"a wish in a key of its own", func(p *play) ([]int, []*model.Observation) {
			return nil, []*model.Observation{key(p, 20*ms, model.RecordCreated, "orders:inventory:wanted", same)}
		}, "redis1 creates key orders:inventory:wanted = x for c1"},
		{"a table that is the lock", func(p *play) ([]int, []*model.Observation) {
			return nil, []*model.Observation{key(p, 20*ms, model.RecordCreated, "table orders", func(o *model.Observation) {
				o.Owner, o.By, o.Session = model.Origin{Client: "c2"}, model.Origin{Client: "c2"}, "9"
			})}
		}, "redis1 creates key table orders = x for c2"},
		{"who has which of several keys", func(p *play) ([]int, []*model.Observation) {
			return nil, []*model.Observation{key(p, 20*ms, model.RecordExpired, "permits/3", same)}
		}, "redis1 key permits/3 = x expires, of c1"},
		{"the crash of the holder", func(p *play) ([]int, []*model.Observation) {
			p.See(20*ms, model.Observation{Node: "c1", Kind: model.Crashed})
			return nil, nil
		}, "c1 crashes while it holds the lock"},
	} {
		for _, named := range []bool{true, false} {
			s, conn1, _, a1 := sampletraces.Two()
			p := &play{s, a1, conn1, model.Origin{Client: "c1", Op: a1.ID}}
			ops, seen := test.happen(p)
			for i := range 2 * story.MaxSteps { // of which each weighs more than most
				p.See(time.Duration(500+10*i)*ms, model.Observation{Node: "c1", Kind: model.ClockJumped, Ahead: time.Duration(i+1) * time.Second})
			}
			last := p.See(2*time.Second, model.Observation{Node: "c1", Kind: model.ClockJumped, Ahead: -time.Second})
			trace := sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}})
			v := trace.Verdict()
			v.From = last.Stamp
			if named {
				v.Operations = append(v.Operations, ops...)
				for _, o := range seen {
					v.Observations = append(v.Observations, o.Seq)
				}
			}
			decided := named || ops == nil && seen == nil // a crash need not be named
			if err := sampletraces.Sound(trace); err != nil {
				t.Fatalf("%s: the trace is unsound: %v", test.name, err)
			}
			if shown := strings.Contains("\n"+told(trace), "\n"+test.want+"\n"); shown != decided {
				t.Errorf("%s, named %v: told %v in\n%s", test.name, named, shown, told(trace))
			}
			var brief strings.Builder
			if err := Explain(&brief, trace, Style{Story: true, Lines: 1}); err != nil {
				t.Fatal(err)
			}
			if decided && !strings.Contains(strings.Join(strings.Fields(brief.String()), " "), test.want[strings.Index(test.want, " ")+1:]) {
				t.Errorf("%s: it is left out for lack of room:\n%s", test.name, &brief)
			}
		}
	}
}

// told returns the texts of the steps, each after its actor.
func told(t *traces.Trace) string {
	var b strings.Builder
	for _, s := range story.Steps(t) {
		if s.Violating {
			b.WriteString("! ")
		}
		b.WriteString(s.Actor + " " + s.Text + "\n")
	}
	return b.String()
}
