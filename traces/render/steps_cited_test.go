package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
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
			s, conn1, _, a1 := two()
			p := &play{s, a1, conn1, model.Origin{Client: "c1", Op: a1.ID}}
			ops, seen := test.happen(p)
			for i := range 2 * MaxSteps { // of which each weighs more than most
				p.See(time.Duration(500+10*i)*ms, model.Observation{Node: "c1", Kind: model.ClockJumped, Ahead: time.Duration(i+1) * time.Second})
			}
			last := p.See(2*time.Second, model.Observation{Node: "c1", Kind: model.ClockJumped, Ahead: -time.Second})
			trace := verdict(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}})
			v := trace.Verdict()
			v.From = last.Stamp
			if named {
				v.Operations = append(v.Operations, ops...)
				for _, o := range seen {
					v.Observations = append(v.Observations, o.Seq)
				}
			}
			decided := named || ops == nil && seen == nil // a crash need not be named
			if err := sound(trace); err != nil {
				t.Fatalf("%s: the trace is unsound: %v", test.name, err)
			}
			if told := strings.Contains("\n"+tell(trace), "\n"+test.want+"\n"); told != decided {
				t.Errorf("%s, named %v: told %v in\n%s", test.name, named, told, tell(trace))
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

// TestStepsOfRecordsThatLoseTheirEnds: a change that takes the end of the lock's record away is told, and so
// is the last extension before the record expires.
func TestStepsOfRecordsThatLoseTheirEnds(t *testing.T) {
	owner := func(a *model.Operation) model.Origin { return model.Origin{Client: "c1", Op: a.ID} }
	for _, test := range []struct {
		session          string
		expires, changed time.Duration
		lost             bool // the record expires afterwards
		want             string
	}{
		{"7", 0, 0, false, "redis1 changes the key for c1 (lock = y), without a session: it no longer ends with one"},
		{"", 2 * time.Second, 0, false, "redis1 changes the key for c1 (lock = y), without an expiry"},
		{"", 2 * time.Second, 3 * time.Second, true, "redis1 extends c1's key from 2.000s to 3.000s, for the last time"},
		{"", 3 * time.Second, 2 * time.Second, true, "redis1 shortens c1's key from 3.000s to 2.000s, for the last time"},
		{"", 2 * time.Second, 3 * time.Second, false, ""},
		{"", 2 * time.Second, 2 * time.Second, true, ""},
	} {
		s := sampletraces.NewStage("s", "l", 2)
		a := s.Call(ms, "c1", model.Acquire, nil)
		by := owner(a)
		see := func(at time.Duration, kind model.ObservationKind, value, session string, expires time.Duration) {
			s.See(at, model.Observation{Node: "redis1", Kind: kind, Authority: "redis1", Key: "lock", Value: value, Owner: by, OldOwner: by, By: by, Session: session, ExpiresAt: expires})
		}
		see(2*ms, model.RecordCreated, "x", test.session, test.expires)
		s.Answer(3*ms, a, model.OK)
		see(500*ms, model.RecordChanged, "y", "", test.changed)
		if test.lost {
			see(3*time.Second, model.RecordExpired, "y", "", 0)
		}
		s.Event(4*time.Second, sim.Event{Kind: sim.EventStep, Actor: "c1"})
		told := tell(verdict(s, model.Verdict{Property: "made-up", Operations: []int{a.ID}}))
		if test.want != "" && !strings.Contains(told, test.want+"\n") || test.want == "" && (strings.Contains(told, "changes the key") || strings.Contains(told, "for the last time")) {
			t.Errorf("%+v: it tells\n%s", test, fmt.Sprint(told))
		}
	}
}

// TestStepOfALateAnswer: an answer that a verdict names as late has one step, that of its departure. The delay of what is
// not in the log has one of its own.
func TestStepOfALateAnswer(t *testing.T) {
	for answer, want := range map[string]string{
		"+OK\r\n": "redis1 sends +OK, the answer to SET lock 9f2c41… PX 2000 NX, to c1; the network holds it back for 1s",
		"":        "redis1 sends something that the network holds back for 1s",
	} {
		s, conn1, _, a1 := two()
		late := s.See(20*ms, model.Observation{Node: "redis1", Kind: model.Delayed, For: time.Second})
		if sent := 20*ms + 20*us; answer != "" {
			s.Event(sent+time.Second+ms, sim.Event{Kind: sim.EventDeliver, Actor: "c1", Peer: "redis1", Conn: conn1, Sent: sent, Late: true, Payload: []byte(answer)})
		}
		s.Answer(2*time.Second, s.Call(30*ms, "c1", model.Release, a1), model.OK)
		trace := verdict(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}})
		trace.Verdict().Observations = []int64{late.Seq}
		if told := tell(trace); !strings.Contains(told, want+"\n") || strings.Count(told, "back for") != 1 {
			t.Errorf("it tells\n%swant one step of the delay: %s", told, want)
		}
	}
}
