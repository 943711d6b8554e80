package sampletraces

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Two returns a stage with a client that holds the lock and one that will.
func Two() (s *Stage, conn1, conn2 int, a1 *model.Operation) {
	s = NewStage("s", "l", 2)
	conn1, _ = s.Connect(500*us, "c1", "redis1")
	conn2, _ = s.Connect(800*us, "c2", "redis1")
	a1 = s.Call(2400*us, "c1", model.Acquire, nil)
	_, back := s.Grant(2420*us, a1, conn1, "redis1", "", ValueC1)
	s.Answer(back+5*us, a1, model.OK)
	return s, conn1, conn2, a1
}

// Violated builds the trace of the stage with a violated verdict.
func Violated(s *Stage, v model.Verdict) *traces.Trace {
	t := s.Build()
	v.Status = model.Violated
	t.Property, t.Verdicts = v.Property, []model.Verdict{v}
	return t
}

// Lapsed returns a lease that runs out and goes on later: c1's ends at 2s, c2 has the
// lock from 2.1s to 2.3s, and at 2.5s c1's Extend reports success.
func Lapsed() *traces.Trace {
	s, _, conn2, a1 := Two()
	s.T.Scenario, s.T.Lock = "gc-pause", "setpx"
	a1.Leased, a1.Until = true, 2*time.Second
	owner := model.Origin{Client: "c1", Conn: 1, Op: a1.ID}
	s.Access(10*ms, a1, 101, model.Read, 0)
	s.Expire(2003*ms, "redis1", "", ValueC1, owner)
	a2 := s.Call(2100*ms, "c2", model.Acquire, nil)
	_, back := s.Grant(2101*ms, a2, conn2, "redis1", "", ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	s.ReleaseOwn(2300*ms, a2, conn2, "redis1", "", ValueC2)
	e := s.Call(2500*ms, "c1", model.Extend, a1)
	e.Leased, e.Until = true, 4500*ms
	s.Answer(2501*ms, e, model.OK)
	s.Access(2600*ms, a1, 101, model.Write, 1)
	return Violated(s, model.Verdict{
		Property: "truthful-extend", Operations: []int{a1.ID, a2.ID, e.ID}, Sentence: "c1's extend reported success though its lease had ended.",
		From: model.Stamp{At: 2500 * ms}, To: model.Stamp{At: 2501 * ms},
	})
}

// sidesOf returns the sides of a partition as it is written in the log.
func sidesOf(text string) *model.Sides {
	for between, held := range map[string]model.Direction{ // unordered: one of them is there
		" | ": model.BothWays, " -> ": model.FromAToB, " <- ": model.FromBToA,
	} {
		if a, b, ok := strings.Cut(text, between); ok {
			return &model.Sides{A: strings.Split(a, ", "), B: strings.Split(b, ", "), Held: held}
		}
	}
	return nil
}

// Parted returns a partition in which redis2 is promoted before the story begins.
func Parted(sides string) *traces.Trace {
	s := NewStage("s", "l", 2)
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	s.See(ms, model.Observation{Node: "redis1", Kind: model.Parted, Value: sides, Sides: sidesOf(sides), For: time.Second})
	s.See(2*ms, model.Observation{Node: "redis2", Kind: model.Promoted, Authority: "redis2"})
	a1 := s.Call(3*ms, "c1", model.Acquire, nil)
	_, back := s.Grant(4*ms, a1, conn1, "redis1", "", ValueC1)
	s.Answer(back+5*us, a1, model.OK)
	s.See(time.Second, model.Observation{Node: "redis1", Kind: model.United, Value: sides, Sides: sidesOf(sides)})
	owner := model.Origin{Client: "c1", Conn: conn1, Op: a1.ID}
	s.See(1010*ms, model.Observation{Node: "redis1", Kind: model.Returned})
	s.See(1020*ms, model.Observation{Node: "redis1", Kind: model.RecordDropped, Key: "lock", Value: ValueC1, Owner: owner})
	conn2, _ := s.Connect(1020*ms, "c2", "redis2")
	a2 := s.Call(1030*ms, "c2", model.Acquire, nil)
	_, back = s.Grant(1031*ms, a2, conn2, "redis2", "", ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	t := s.Build()
	from, to := t.History.Operation(a2.ID).Return, t.History.End
	t.Property = "mutual-exclusion"
	t.Verdicts = []model.Verdict{{Property: t.Property, Status: model.Violated, Operations: []int{a1.ID, a2.ID}, From: from, To: to}}
	return t
}

// Noted returns a run of one client that asks for the lock, with the given notes.
func Noted(notes ...model.Observation) *traces.Trace {
	s := NewStage("s", "l", 1)
	a := s.Call(ms, "c1", model.Acquire, nil)
	for i, o := range notes {
		if o.Kind = model.Noted; o.Node == "" {
			o.Node = "redis1"
		}
		s.See(time.Duration(i+2)*ms, o)
	}
	s.Answer(time.Second, a, model.OK)
	return s.Build()
}

// Busy returns a run in which a waiter polls so often that not all of it can be shown.
func Busy(polls int) *traces.Trace {
	s := NewStage("gc-pause", "setpx", 2)
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	conn2, _ := s.Connect(800*us, "c2", "redis1")
	for i := range 40 {
		a := s.Call(time.Duration(i+1)*50*ms, "c1", model.Acquire, nil)
		_, back := s.Grant(time.Duration(i+1)*50*ms+us, a, conn1, "redis1", "", fmt.Sprint("v", i))
		s.Answer(back+us, a, model.OK)
		s.ReleaseOwn(back+10*ms, a, conn1, "redis1", "", fmt.Sprint("v", i))
	}
	for i := range polls {
		s.Deny(3*ms+time.Duration(i)*time.Millisecond, "c2", conn2, "redis1", ValueC2)
	}
	return s.Build()
}

// Named makes the sample with a name.
func Named(t *testing.T, name string) *traces.Trace {
	t.Helper()
	for _, s := range Samples {
		if s.Name == name {
			return s.Make()
		}
	}
	t.Fatalf("no sample %s", name)
	return nil
}

// Unpaused returns a run that is like another up to its pause, and ends there without a violation.
func Unpaused(t *testing.T) *traces.Trace {
	t.Helper()
	b := Named(t, "gc-pause")
	b.Property, b.Limit = "", false
	for i := range b.Verdicts {
		b.Verdicts[i] = model.Verdict{Property: b.Verdicts[i].Property, Status: model.Holds}
	}
	i := slices.IndexFunc(b.History.Observations, func(o model.Observation) bool { return o.Kind == model.Paused })
	if i < 0 {
		t.Fatal("nobody is paused in the sample")
	}
	last := b.History.Observations[i].Seq - 1
	b.Events = b.Events[:last]
	var ops []model.Operation
	for _, o := range b.History.Operations {
		if o.Call.Seq <= last {
			if o.Return.Seq > last {
				o.Return = model.Stamp{}
			}
			ops = append(ops, o)
		}
	}
	var seen []model.Observation
	for _, o := range b.History.Observations {
		if o.Seq <= last {
			seen = append(seen, o)
		}
	}
	b.History.Operations, b.History.Observations = ops, seen
	b.Attribution, b.Shrunk, b.Hash = nil, nil, "00000000000000b0"
	return b
}

// Overlaps returns a run in which many claims overlap; the verdict names the last.
func Overlaps(n int) (trace *traces.Trace, last *model.Operation) {
	s := NewStage("gc-pause", "setpx", 2)
	for i := range n {
		last = s.Call(time.Duration(10+i)*ms, fmt.Sprint("c", 1+i%2), model.Acquire, nil)
		last.Thread = i / 7
		s.Answer(time.Duration(10+i)*ms+us, last, model.OK)
		if i%3 == 0 {
			s.Answer(time.Duration(10+i)*ms+3*us, s.Call(time.Duration(10+i)*ms+2*us, last.Client, model.Release, last), model.OK)
		}
	}
	trace = s.Build()
	from := trace.History.Operation(last.ID).Return
	trace.Property = "mutual-exclusion"
	trace.Verdicts = []model.Verdict{{Property: "mutual-exclusion", Status: model.Violated, Operations: []int{last.ID}, From: from, To: from}}
	return trace, last
}
