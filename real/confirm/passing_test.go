package confirm

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// passes is a store whose second server passes requests on to the first.
type passes struct{ Store }

func (passes) Behind(servers [][]string, node string) string {
	if node == servers[1][0] {
		return servers[0][0]
	}
	return ""
}

// TestPassedOn: a request to a node that passes it on arrives when the other one gets it, and is about the other one's
// records.
func TestPassedOn(t *testing.T) {
	p := &plan{nodes: []string{"server", "front"}, byServer: [][]string{{"server"}, {"front"}}}
	p.setExecutors(passes{})
	if p.place("front") != "server" || p.place("server") != "server" || p.passesOn("server") {
		t.Errorf("%v", p.executor)
	}
	at := func(seq int64, actor, peer, payload string) sim.Event {
		return sim.Event{Seq: seq, Kind: sim.EventDeliver, Actor: actor, Peer: peer, Payload: []byte(payload)}
	}
	r := &reading{plan: p, trace: &traces.Trace{Events: []sim.Event{
		at(1, "server", "front", "ask"), at(2, "front", "c1", "ask"), at(3, "server", "front", "other"), at(4, "server", "front", "log in; ask"),
	}}}
	for front, want := range map[string]int64{"front": 4, "server": 2} { // unordered: each by itself
		e := r.trace.Events[1]
		e.Actor = front
		if got := r.passedOn(&sent{Message: &Message{Bytes: []byte("ask")}, event: &e}); got != want {
			t.Errorf("at %s it arrives at event %d, want %d", front, got, want)
		}
	}
}

// TestTakenAgain: a record has ended by itself although another client, which waited for that, has it by now.
func TestTakenAgain(t *testing.T) {
	d := &driver{plan: &plan{}, position: 1}
	d.steps = []step{{kind: call}, {kind: expires, node: "n", seen: &model.Observation{Key: "k"}}}
	if d.hasExpired(&d.steps[1], "k") {
		t.Error("it has ended before it ends")
	}
	d.History.Observations = []model.Observation{
		{Kind: model.RecordExpired, Authority: "n", Key: "k"}, {Kind: model.RecordCreated, Authority: "n", Key: "k"},
	}
	if !d.hasExpired(&d.steps[1], "k") || d.hasExpired(&d.steps[1], "other") {
		t.Error("it has not ended although it has, or another has")
	}
}
