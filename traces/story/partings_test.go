package story

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

func TestStepsOfAPartition(t *testing.T) {
	for sides, told := range map[string]string{
		"redis1, c1 | redis2, c2":  "redis1 is cut off from redis2 and c2 for 1s, and so is c1",
		"redis1 | redis2, c1, c2":  "redis1 is cut off from redis2, c1 and c2 for 1s",
		"redis1, c1, c2 -> redis2": "redis1 is not heard by redis2 any more for 1s, nor are c1 and c2",
		"redis1, c1 <- redis2, c2": "redis1 does not hear redis2 and c2 any more for 1s, nor does c1",
	} {
		expect(t, sampletraces.Parted(sides), told,
			"redis2 becomes the primary, which redis1 does not know",
			"c1 acquires the lock (lock = 9f2c41…, expires in 2s)",
			"redis1 and those on the other side hear each other again",
			"redis1 comes back as a replica",
			"redis1 drops c1's key: the new primary does not have it")
	}
}

// TestStepsOfARestart: what a primary lacks when it is back is told of itself.
func TestStepsOfARestart(t *testing.T) {
	s, conn1, conn2, a1 := sampletraces.Two()
	owner := model.Origin{Client: "c1", Conn: conn1, Op: a1.ID}
	s.See(100*ms, model.Observation{Node: "redis1", Kind: model.Crashed, Authority: "redis1"})
	s.See(150*ms, model.Observation{Node: "redis1", Kind: model.Returned, Authority: "redis1"})
	s.See(150*ms+us, model.Observation{Node: "redis1", Kind: model.RecordDropped, Authority: "redis1", Key: "lock", Value: sampletraces.ValueC1, Owner: owner})
	a2 := s.Call(160*ms, "c2", model.Acquire, nil)
	_, back := s.Grant(161*ms, a2, conn2, "redis1", "", sampletraces.ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	t2 := s.Build()
	at := t2.History.Operation(a2.ID).Return
	t2.Property = "mutual-exclusion"
	t2.Verdicts = []model.Verdict{{Property: t2.Property, Status: model.Violated, Operations: []int{a1.ID, a2.ID}, From: at, To: t2.History.End}}
	expect(t, t2, "redis1 comes back", "redis1 has lost c1's key in the restart")
}

// TestRolesOfServers: the promotion of one server's replica says nothing of
// another server's primary.
func TestRolesOfServers(t *testing.T) {
	tr := &traces.Trace{Actors: []traces.Actor{
		{Name: "redis1", Kind: traces.NodeActor, Server: 1}, {Name: "redis3", Kind: traces.NodeActor, Server: 1},
		{Name: "redis2", Kind: traces.NodeActor, Server: 2}, {Name: "redis4", Kind: traces.NodeActor, Server: 2},
	}}
	tr.History.Observations = []model.Observation{{Stamp: model.Stamp{Seq: 5}, Node: "redis3", Kind: model.Promoted, Authority: "redis3"}}
	for node, want := range map[string][]Role{
		"redis1": {roleServing, roleStale}, "redis3": {roleFollowing, roleServing}, "redis2": {roleServing}, "redis4": {roleFollowing},
	} {
		var got []Role
		for _, r := range reigns(tr, node) {
			got = append(got, r.Role)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
}
