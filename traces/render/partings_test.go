package render

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// sidesOf are the sides of a partition as it is written in the log.
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

// parted is a partition in which redis2 is promoted before the story begins.
func parted(sides string) *traces.Trace {
	s := sampletraces.NewStage("s", "l", 2)
	conn1, _ := s.Connect(500*us, "c1", "redis1")
	s.See(ms, model.Observation{Node: "redis1", Kind: model.Parted, Value: sides, Sides: sidesOf(sides), For: time.Second})
	s.See(2*ms, model.Observation{Node: "redis2", Kind: model.Promoted, Authority: "redis2"})
	a1 := s.Call(3*ms, "c1", model.Acquire, nil)
	_, back := s.Grant(4*ms, a1, conn1, "redis1", "", sampletraces.ValueC1)
	s.Answer(back+5*us, a1, model.OK)
	s.See(time.Second, model.Observation{Node: "redis1", Kind: model.United, Value: sides, Sides: sidesOf(sides)})
	owner := model.Origin{Client: "c1", Conn: conn1, Op: a1.ID}
	s.See(1010*ms, model.Observation{Node: "redis1", Kind: model.Returned})
	s.See(1020*ms, model.Observation{Node: "redis1", Kind: model.RecordDropped, Key: "lock", Value: sampletraces.ValueC1, Owner: owner})
	conn2, _ := s.Connect(1020*ms, "c2", "redis2")
	a2 := s.Call(1030*ms, "c2", model.Acquire, nil)
	_, back = s.Grant(1031*ms, a2, conn2, "redis2", "", sampletraces.ValueC2)
	s.Answer(back+5*us, a2, model.OK)
	t := s.Build()
	from, to := t.History.Operation(a2.ID).Return, t.History.End
	t.Property = "mutual-exclusion"
	t.Verdicts = []model.Verdict{{Property: t.Property, Status: model.Violated, Operations: []int{a1.ID, a2.ID}, From: from, To: to}}
	return t
}

func TestStepsOfAPartition(t *testing.T) {
	for sides, told := range map[string]string{
		"redis1, c1 | redis2, c2":  "redis1 is cut off from redis2 and c2 for 1s, and so is c1",
		"redis1 | redis2, c1, c2":  "redis1 is cut off from redis2, c1 and c2 for 1s",
		"redis1, c1, c2 -> redis2": "redis1 is not heard by redis2 any more for 1s, nor are c1 and c2",
		"redis1, c1 <- redis2, c2": "redis1 does not hear redis2 and c2 any more for 1s, nor does c1",
	} {
		expect(t, parted(sides), told,
			"redis2 becomes the primary, which redis1 does not know",
			"c1 acquires the lock (lock = 9f2c41…, expires in 2s)",
			"redis1 and those on the other side hear each other again",
			"redis1 comes back as a replica",
			"redis1 drops c1's key: the new primary does not have it")
	}
}

// TestPictureOfAPartition: a bar lies on the lanes of the primary's side for as
// long as it is cut off.
func TestPictureOfAPartition(t *testing.T) {
	p := newPicture(newStory(parted("redis1, c1 | redis2, c2")))
	var lanes []string
	for _, s := range p.layers[layerMarks] {
		if s.class != "parted" {
			continue
		}
		if s.t0 != ms || s.t1 != time.Second {
			t.Errorf("a bar from %v to %v", s.t0, s.t1)
		}
		for _, l := range p.lanes {
			if l.top <= s.y0 && s.y0 < l.bottom() {
				lanes = append(lanes, l.actor.Name)
			}
		}
	}
	slices.Sort(lanes)
	if got := strings.Join(lanes, " "); got != "c1 redis1" {
		t.Errorf("bars on %q", got)
	}
}

// TestStepsOfARestart: what a primary lacks when it is back is told of itself.
func TestStepsOfARestart(t *testing.T) {
	s, conn1, conn2, a1 := two()
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
	for node, want := range map[string][]role{
		"redis1": {roleServing, roleStale}, "redis3": {roleFollowing, roleServing}, "redis2": {roleServing}, "redis4": {roleFollowing},
	} {
		var got []role
		for _, r := range reigns(tr, node) {
			got = append(got, r.role)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", node, got, want)
		}
	}
}
