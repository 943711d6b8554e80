package story

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

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
		{"", 0, 2 * time.Second, true, "redis1 sets the end of c1's key to 2.000s, for the last time"},
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
		told := tell(sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a.ID}}))
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
		s, conn1, _, a1 := sampletraces.Two()
		late := s.See(20*ms, model.Observation{Node: "redis1", Kind: model.Delayed, For: time.Second})
		if sent := 20*ms + 20*us; answer != "" {
			s.Event(sent+time.Second+ms, sim.Event{Kind: sim.EventDeliver, Actor: "c1", Peer: "redis1", Conn: conn1, Sent: sent, Late: true, Payload: []byte(answer)})
		}
		s.Answer(2*time.Second, s.Call(30*ms, "c1", model.Release, a1), model.OK)
		trace := sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a1.ID}})
		trace.Verdict().Observations = []int64{late.Seq}
		if told := tell(trace); !strings.Contains(told, want+"\n") || strings.Count(told, "back for") != 1 {
			t.Errorf("it tells\n%swant one step of the delay: %s", told, want)
		}
	}
}

// TestStepOfACitedMove: a move of a part of the store that a verdict names is shown by the store's note behind it.
func TestStepOfACitedMove(t *testing.T) {
	s := sampletraces.NewStage("s", "l", 2)
	a := s.Call(ms, "c1", model.Acquire, nil)
	s.Answer(2*ms, a, model.OK)
	moved := s.See(3*ms, model.Observation{Node: "redis1", Kind: model.Assigned, Authority: "redis1", Part: "7"})
	s.See(3*ms, model.Observation{Node: "redis1", Kind: model.Noted, Note: &model.Note{Subject: "slot 7", Place: model.PlaceStrip, Text: "{node} keeps {subject}"}})
	trace := sampletraces.Violated(s, model.Verdict{Property: "made-up", Operations: []int{a.ID}})
	trace.Verdict().Observations = []int64{moved.Seq}
	if shown := tell(trace); !strings.Contains(shown, "redis1 keeps slot 7\n") || strings.Contains(shown, "assigned") {
		t.Errorf("shown is\n%s", shown)
	}
}
