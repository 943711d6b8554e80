package picture

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestEnsemblePicture: a picture shows the epoch, what is left of sessions, what their
// clients do not know, and watches.
func TestEnsemblePicture(t *testing.T) {
	picture := draw(t, sampletraces.DoubleGrant())
	for _, text := range []string{
		"leader, epoch 1", "c2&#39;s session, at zk3", "session expires", "c2 does not know", "ends with the session",
		"c3 watches /lock/n-0000000001", "tells c3: /lock/n-0000000001 was deleted",
	} {
		if !strings.Contains(picture, ">"+text+"<") {
			t.Errorf("it does not say %q", text)
		}
	}
	if strings.Contains(picture, ">c2 learns of it<") {
		t.Error("c2 learns of it on the bar of its next session")
	}
}

// TestRowsOfRecords: records that are never there together share a row, the same one at
// every node, and those that the story is about have room first.
func TestRowsOfRecords(t *testing.T) {
	e := sampletraces.NewEnsemble("s", "l", 8)
	e.T.Property = "mutual-exclusion"
	var keys []string
	var last *model.Operation
	for i := range 8 {
		client := e.T.Actors[i].Name
		at := time.Duration(i) * time.Second
		x := e.Open(at, client, "zk2", client)
		last = e.Call(at+2*time.Millisecond, client, model.Acquire, nil)
		key, back := e.Create(at+2*time.Millisecond, x, last)
		e.Answer(back, last, model.OK)
		keys = append(keys, key)
		if i < 2 { // the others stay
			e.Unlock(at+500*time.Millisecond, x, last, key)
		}
	}
	e.T.History.Keys = keys
	trace := e.Build()
	trace.Verdicts = []model.Verdict{{Property: "mutual-exclusion", Status: model.Violated, Operations: []int{last.ID}, From: last.Return, To: trace.History.End}}
	p := New(story.Of(trace))
	for _, node := range []string{"zk1", "zk2", "zk3"} {
		var got [][]string
		for _, r := range p.Lane(node).rows {
			got = append(got, r.keys)
		}
		want := [][]string{{keys[7], keys[0], keys[1]}, {keys[2]}, {keys[3]}}
		if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
}

// TestManySessions: of many clients the lane shows the sessions of those that the story is
// about.
func TestManySessions(t *testing.T) {
	e := sampletraces.NewEnsemble("s", "l", 12)
	for i := range 12 {
		e.Open(time.Duration(i)*time.Millisecond, e.T.Actors[i].Name, "zk2", e.T.Actors[i].Name)
	}
	a := e.Call(20*time.Millisecond, "c12", model.Acquire, nil)
	e.Answer(21*time.Millisecond, a, model.OK)
	e.T.Property = "mutual-exclusion"
	trace := e.Build()
	trace.Verdicts = []model.Verdict{{Property: "mutual-exclusion", Status: model.Violated, Operations: []int{a.ID}, From: a.Return, To: trace.History.End}}
	p := New(story.Of(trace))
	i := slices.IndexFunc(p.Lanes, func(l Lane) bool { return l.Lives != nil })
	if i < 0 || p.Lanes[i+1].Actor.Name != "zk1" || p.Lanes[i+1].Caption != "" {
		t.Fatal("there is no lane of sessions above the nodes")
	}
	if rows := p.Lanes[i].Lives; len(rows) != 1 || p.Lives.All[rows[0][0]].Client != "c12" {
		t.Errorf("rows %v", rows)
	}
}
