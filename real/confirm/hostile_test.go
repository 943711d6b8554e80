package confirm_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// renamed gives a client or a server of a trace another name, wherever it stands.
func renamed(tr *traces.Trace, from, to string) {
	is := func(name *string) {
		if *name == from {
			*name = to
		}
	}
	for i := range tr.Actors {
		is(&tr.Actors[i].Name)
	}
	for i := range tr.Events {
		is(&tr.Events[i].Actor)
		is(&tr.Events[i].Peer)
	}
	for i := range tr.History.Operations {
		is(&tr.History.Operations[i].Client)
	}
	for i := range tr.History.Observations {
		o := &tr.History.Observations[i]
		is(&o.Node)
		is(&o.Authority)
		is(&o.By.Client)
	}
}

// firstOf is a trace's first observation of a kind.
func firstOf(tr *traces.Trace, kind model.ObservationKind) *model.Observation {
	i := slices.IndexFunc(tr.History.Observations, func(o model.Observation) bool { return o.Kind == kind })
	return &tr.History.Observations[i]
}

// TestHostile: a trace from elsewhere that asks for what no trace has is refused before anything starts.
func TestHostile(t *testing.T) {
	const pause, failover, restart = "gc-pause_setpx_no-lost-update", "failover-loss_setpx_mutual-exclusion", "node-restart_setpx_no-lost-update"
	type change func(*traces.Trace)
	cases := []struct {
		name, of, want string
		do             change
	}{
		{"thousands of clients", pause, "clients; there may be 16", func(tr *traces.Trace) {
			for i := range 5000 {
				tr.Actors = append(tr.Actors, traces.Actor{Name: fmt.Sprintf("d%d", i), Kind: traces.ClientActor})
			}
		}},
		{"thousands of servers", pause, "servers; there may be 90", func(tr *traces.Trace) {
			for i := range 5000 {
				tr.Actors = append(tr.Actors, traces.Actor{Name: fmt.Sprintf("d%d", i), Kind: traces.NodeActor, Server: i})
			}
		}},
		{"a thread without end", pause, "has a thread 1000000", func(tr *traces.Trace) { tr.History.Operations[0].Thread = 1000000 }},
		{"a stranger calls", pause, `is no client of the trace`, func(tr *traces.Trace) { tr.History.Operations[0].Client = "c9" }},
		{"a stranger dies", failover, `is no server of the trace`, func(tr *traces.Trace) { firstOf(tr, model.Crashed).Node = "../../etc" }},
		{"it starts what runs", restart, "starts again, and has not died", func(tr *traces.Trace) {
			tr.History.Observations = slices.DeleteFunc(tr.History.Observations, func(o model.Observation) bool { return o.Kind == model.Crashed })
		}},
		{"it dies twice", restart, "has died before its kill", func(tr *traces.Trace) {
			again := *firstOf(tr, model.Crashed)
			i := slices.IndexFunc(tr.History.Observations, func(o model.Observation) bool { return o.Kind == model.Crashed })
			tr.History.Observations = slices.Insert(tr.History.Observations, i+1, again)
		}},
		{"time goes back", pause, "which is before event", func(tr *traces.Trace) { tr.History.Operations[0].Call.At = time.Hour }},
		{"a century", pause, "and the limit is 1m", func(tr *traces.Trace) {
			const century = 99 * 365 * 24 * time.Hour
			for i := range tr.Events {
				tr.Events[i].At += century
			}
			for i := range tr.History.Operations {
				o := &tr.History.Operations[i]
				o.Call.At, o.Return.At = o.Call.At+century, o.Return.At+century
			}
			for i := range tr.History.Observations {
				tr.History.Observations[i].At += century
			}
		}},
		{"a verdict of nothing", pause, "kept for no violation", func(tr *traces.Trace) { tr.Verdicts = nil }},
		{"a property of nobody", pause, "kept for no violation", func(tr *traces.Trace) { tr.Property = "no-such-property" }},
		{"a kind of nobody", pause, "is not supported yet", func(tr *traces.Trace) { firstOf(tr, model.Paused).Kind = "exec" }},
		{"no server", pause, "has no server", func(tr *traces.Trace) {
			tr.Actors = slices.DeleteFunc(tr.Actors, func(a traces.Actor) bool { return a.Kind == traces.NodeActor })
		}},
		{"payloads that are no protocol", pause, "", func(tr *traces.Trace) {
			for i := range tr.Events {
				tr.Events[i].Payload = []byte("*999999999\r\n$-7\r\n--flag")
			}
		}},
	}
	for _, name := range []string{"--config", "-x", "../c1", "c1/x", "c1\x00", "c1\nc2", ".", strings.Repeat("c", 4096), "c1 c2", "ｃ1", "$(id)", ""} {
		for _, from := range []string{"c1", "redis1"} {
			cases = append(cases, struct {
				name, of, want string
				do             change
			}{fmt.Sprintf("%s is called %.20q", from, name), pause, "is no name for a client or a server", func(tr *traces.Trace) { renamed(tr, from, name) }})
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tr := read(t, c.of)
			job := confirmation(t, tr, tr.Lock)
			c.do(tr)
			err := job.Forcible(time.Minute)
			var forced *confirm.ForceError
			if c.want != "" && (!errors.As(err, &forced) || !strings.Contains(forced.Reason, c.want)) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x00\n\x1b") {
				t.Errorf("it is no line: %q", err)
			}
		})
	}
}

// FuzzPlan: whatever a trace says that can be read, it has a plan or is refused.
func FuzzPlan(f *testing.F) {
	corpus := []string{
		"gc-pause_setpx_no-lost-update", "failover-loss_setpx_mutual-exclusion", "node-restart_setpx_no-lost-update", "partition_setpx_mutual-exclusion",
		"hung-node_setpx-del_owner-only-release", "server-clock-jump_setpx-fenced_mutual-exclusion", "lost-reply_setpx-twostep_owner-only-release",
	}
	f.Add(uint8(0), []byte{})
	for i := range corpus {
		f.Add(uint8(i), []byte{0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 9, 4, 4, 1, 0, 5, 7, 6, 6, 2, 2, 7, 1, 8})
	}
	f.Fuzz(func(t *testing.T, of uint8, changes []byte) {
		tr := read(t, corpus[int(of)%len(corpus)])
		job := confirmation(t, tr, tr.Lock)
		for ; len(changes) >= 3; changes = changes[3:] {
			mutate(tr, changes[0], int(changes[1]), int(changes[2]))
		}
		var b bytes.Buffer
		if err := traces.Encode(&b, tr); err != nil {
			return
		}
		if tr, err := traces.Decode(&b); err == nil {
			job.Trace = tr
		} // else the plan is made of what no reader lets through
		err := job.Forcible(time.Minute)
		var forced *confirm.ForceError
		if err != nil && !errors.As(err, &forced) {
			t.Error(err)
		}
	})
}

// names are those that a mutation may give.
var names = []string{"c1", "c2", "c9", "redis1", "redis2", "", "--x", "../x", "c1\x00"}

// mutate changes one thing of a trace.
func mutate(tr *traces.Trace, what byte, at, to int) {
	h := &tr.History
	name := names[to%len(names)]
	switch what % 12 {
	case 0:
		tr.Actors[at%len(tr.Actors)].Name = name
	case 1:
		tr.Actors[at%len(tr.Actors)].Server = to - 9
	case 2:
		h.Operations[at%len(h.Operations)].Client = name
	case 3:
		h.Operations[at%len(h.Operations)].Call.Seq = int64(to - 9)
	case 4:
		h.Operations[at%len(h.Operations)].Kind = []model.OpKind{model.Acquire, model.Release, model.Extend, model.Read, model.Write, "x"}[to%6]
	case 5:
		h.Observations[at%len(h.Observations)].Node = name
	case 6:
		kinds := []model.ObservationKind{
			model.Crashed, model.Returned, model.Promoted, model.Paused, model.Resumed, model.Parted, model.United, model.ClockJumped,
			model.ClockOff, model.RecordCreated, model.RecordDeleted, model.RecordExpired, model.ResourceRead, model.Noted, "x",
		}
		h.Observations[at%len(h.Observations)].Kind = kinds[to%len(kinds)]
	case 7:
		h.Observations[at%len(h.Observations)].By.Op = to - 9
	case 8:
		tr.Events[at%len(tr.Events)].Payload = []byte(strings.Repeat("*1\r\n$3\r\nx", to%5))
	case 9:
		kinds := []sim.EventKind{sim.EventDeliver, sim.EventDrop, sim.EventReset, sim.EventClose}
		tr.Events[at%len(tr.Events)].Kind = kinds[to%len(kinds)]
	case 10:
		if v := tr.Verdict(); v != nil {
			v.To.Seq, v.Operations = int64(at-9), []int{to - 9}
		}
	case 11:
		h.Observations[at%len(h.Observations)].Seq = int64(to * 9)
	}
}
