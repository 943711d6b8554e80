package story

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
)

// TestStepsOfAnEnsemble: the steps of an ensemble have the words of its store.
func TestStepsOfAnEnsemble(t *testing.T) {
	expect(t, sampletraces.DoubleGrant(),
		"zk1 creates the znode for c2 (/lock/n-0000000001, ends with c2's session)",
		"zk1 c2's session expires, and its znode with it, but c2 is paused and does not know",
		"zk2 tells c3 that /lock/n-0000000001 was deleted",
		"c2 learns from zk1, 850ms later, that its session has expired, and opens another",
		"! c2 acquires the lock, though its znode is gone, while c3 still believes that it holds it")
}

// TestSessionsOfAStory: a session has the end that it was given last, is at the node where
// its client came to last, and its client learns of its end when it can.
func TestSessionsOfAStory(t *testing.T) {
	const ms = time.Millisecond
	build := func(change func(*sampletraces.Ensemble, *sampletraces.Session)) *Life {
		e := sampletraces.NewEnsemble("s", "l", 1)
		x := e.Open(ms, "c1", "zk2", "0x1")
		e.Tell(500*ms, "session-renewed", x)
		change(e, x)
		e.See(9*time.Second, sampletraces.Role("zk1", model.RoleAlone, 0))
		return &Of(e.Build()).Lives.All[0]
	}
	refuse := func(e *sampletraces.Ensemble, x *sampletraces.Session) {
		e.Tell(2500*ms, "session-expired", x)
		e.Tell(3*time.Second, "session-refused", x)
		e.Send(3*time.Second, x.Node, "c1", x.Owner.Conn, []byte("session expired"), ms, false)
	}
	x := build(refuse)
	if x.To.At != 2500*ms || x.Learned.At != 3001*ms || x.Notice.Node != "zk2" || len(x.Renewals) != 2 || x.Longest() != 2*time.Second {
		t.Errorf("a session that expires: %+v", x)
	}
	x = build(func(e *sampletraces.Ensemble, x *sampletraces.Session) {
		e.See(time.Second, model.Observation{Node: "c1", Kind: model.Paused, For: 3 * time.Second})
		e.See(4*time.Second, model.Observation{Node: "c1", Kind: model.Resumed})
		refuse(e, x)
	})
	if x.Learned.At != 4*time.Second {
		t.Errorf("a paused client learns of it at %v", x.Learned.At)
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
		s := Of(e.Build())
		if to := s.Lives.All[0].Unaware; to.At != c.until {
			t.Errorf("a client that %s does not know until %v", what, to.At)
		}
	}
	x = build(func(e *sampletraces.Ensemble, x *sampletraces.Session) {
		x.Node = "zk3"
		e.Tell(time.Second, "session-moved", x)
		e.Tell(2*time.Second, "session-moved", x)
	})
	if len(x.Stays) != 2 || x.Stays[1].Node != "zk3" || x.Ended != nil || x.To.At != 9*time.Second {
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
			got = append(got, r.Called(trace.Terms))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
	expect(t, trace, "zk3 becomes the leader of epoch 3", "zk2 has a leader again", "zk1 comes back", "zk1 has a leader again")
	if epochs := Of(trace).Epochs(); len(epochs) != 2 || epochs[0].Number != 1 || epochs[1].Number != 3 {
		t.Errorf("epochs: %+v", epochs)
	}
}
