package render

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
)

// TestEnsembleWords: a story of an ensemble has the words of its store.
func TestEnsembleWords(t *testing.T) {
	trace := sampletraces.DoubleGrant()
	var text bytes.Buffer
	if err := Explain(&text, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	if word := regexp.MustCompile(`(?i)redis|\bkeys?\b|primary|replica|\blease\b`).FindString(text.String()); word != "" {
		t.Errorf("%q is of another store:\n%s", word, &text)
	}
	expect(t, trace,
		"zk1 creates the znode for c2 (/lock/n-0000000001, ends with c2's session)",
		"zk1 c2's session expires, and its znode with it, but c2 is paused and does not know",
		"zk2 tells c3 that /lock/n-0000000001 was deleted",
		"c2 learns from zk1, 850ms later, that its session has expired, and opens another",
		"! c2 acquires the lock, though its znode is gone, while c3 still believes that it holds it")
}

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
	if !strings.Contains(view(t, sampletraces.DoubleGrant()), `data-a="c2 learns of it"`) {
		t.Error("the page does not say it where there is room for it")
	}
}

// TestSessionsOfAStory: a session has the end that it was given last, is at the node where
// its client came to last, and its client learns of its end when it can.
func TestSessionsOfAStory(t *testing.T) {
	const ms = time.Millisecond
	build := func(change func(*sampletraces.Ensemble, *sampletraces.Session)) *life {
		e := sampletraces.NewEnsemble("s", "l", 1)
		x := e.Open(ms, "c1", "zk2", "0x1")
		e.Tell(500*ms, "session-renewed", x)
		change(e, x)
		e.See(9*time.Second, sampletraces.Role("zk1", model.RoleAlone, 0))
		return &newStory(e.Build()).lives.all[0]
	}
	refuse := func(e *sampletraces.Ensemble, x *sampletraces.Session) {
		e.Tell(2500*ms, "session-expired", x)
		e.Tell(3*time.Second, "session-refused", x)
		e.Send(3*time.Second, x.Node, "c1", x.Owner.Conn, []byte("session expired"), ms, false)
	}
	x := build(refuse)
	if x.to.At != 2500*ms || x.learnt.At != 3001*ms || x.told.Node != "zk2" || len(x.renewals) != 2 || x.longest() != 2*time.Second {
		t.Errorf("a session that expires: %+v", x)
	}
	x = build(func(e *sampletraces.Ensemble, x *sampletraces.Session) {
		e.See(time.Second, model.Observation{Node: "c1", Kind: model.Paused, For: 3 * time.Second})
		e.See(4*time.Second, model.Observation{Node: "c1", Kind: model.Resumed})
		refuse(e, x)
	})
	if x.learnt.At != 4*time.Second {
		t.Errorf("a paused client learns of it at %v", x.learnt.At)
	}
	for what, c := range map[string]struct {
		until  time.Duration
		change func(*sampletraces.Ensemble)
	}{
		"is never told": {9 * time.Second, func(*sampletraces.Ensemble) {}},
		"crashes": {3 * time.Second, func(e *sampletraces.Ensemble) {
			e.See(3*time.Second, model.Observation{Node: "c1", Kind: model.Crashed})
		}},
		"has given the session up": {2500 * ms, func(e *sampletraces.Ensemble) { e.Open(2*time.Second, "c1", "zk3", "0x2") }},
	} {
		e := sampletraces.NewEnsemble("s", "l", 1)
		x := e.Open(ms, "c1", "zk2", "0x1")
		c.change(e)
		e.Tell(2500*ms, "session-expired", x)
		e.See(9*time.Second, sampletraces.Role("zk1", model.RoleAlone, 0))
		s := newStory(e.Build())
		if to := s.lives.all[0].unaware; to.At != c.until {
			t.Errorf("a client that %s does not know until %v", what, to.At)
		}
	}
	x = build(func(e *sampletraces.Ensemble, x *sampletraces.Session) {
		x.Node = "zk3"
		e.Tell(time.Second, "session-moved", x)
		e.Tell(2*time.Second, "session-moved", x)
	})
	if len(x.stays) != 2 || x.stays[1].node != "zk3" || x.ended != nil || x.to.At != 9*time.Second {
		t.Errorf("a session that moves: %+v", x)
	}
}

// TestRolesOfAnEnsemble: a leader has an epoch, and a node without a leader serves no requests.
func TestRolesOfAnEnsemble(t *testing.T) {
	e := sampletraces.NewEnsemble("s", "l", 1)
	e.See(1*time.Second, model.Observation{Node: "zk1", Kind: model.Crashed})
	e.See(1*time.Second, sampletraces.Role("zk2", model.RoleAlone, 0))
	e.See(1*time.Second, sampletraces.Role("zk3", model.RoleAlone, 0))
	e.See(2*time.Second, model.Observation{Node: "zk3", Kind: model.Promoted, Authority: "ZooKeeper", Epoch: 3})
	e.See(2*time.Second, model.Observation{Node: "zk2", Kind: model.Returned})
	e.See(3*time.Second, model.Observation{Node: "zk1", Kind: model.Returned})
	e.See(3*time.Second, sampletraces.Role("zk1", model.RoleAlone, 0))
	e.See(4*time.Second, model.Observation{Node: "zk1", Kind: model.Returned})
	trace := e.Build()
	for node, want := range map[string][]string{
		"zk1": {"leader, epoch 1", "down", "follower", "no leader", "follower"},
		"zk2": {"follower", "no leader", "follower"},
		"zk3": {"follower", "no leader", "leader, epoch 3"},
	} {
		var got []string
		for _, r := range reigns(trace, node) {
			got = append(got, r.called(trace.Terms))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
	expect(t, trace, "zk3 becomes the leader of epoch 3", "zk2 has a leader again", "zk1 comes back", "zk1 has a leader again")
	p := newPicture(newStory(trace))
	if len(p.epochs) != 2 || p.epochs[0].number != 1 || p.epochs[1].number != 3 {
		t.Errorf("epochs: %+v", p.epochs)
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
	p := newPicture(newStory(trace))
	for _, node := range []string{"zk1", "zk2", "zk3"} {
		var got [][]string
		for _, r := range p.lane(node).rows {
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
	p := newPicture(newStory(trace))
	i := slices.IndexFunc(p.lanes, func(l lane) bool { return l.lives != nil })
	if i < 0 || p.lanes[i+1].actor.Name != "zk1" || p.lanes[i+1].caption != "" {
		t.Fatal("there is no lane of sessions above the nodes")
	}
	if rows := p.lanes[i].lives; len(rows) != 1 || p.lives.all[rows[0][0]].client != "c12" {
		t.Errorf("rows %v", rows)
	}
}
