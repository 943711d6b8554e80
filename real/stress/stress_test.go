package stress_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/real/stress"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestMain serves client processes: they are this test binary.
func TestMain(m *testing.M) {
	if os.Getenv(asClient) == "" {
		os.Exit(m.Run())
	}
	if err := realclient.Serve(realclient.Locks{Decode: scenarios.Registry(builtin.Locks()).Decode}); err != nil {
		panic(err)
	}
}

const asClient = "STRESS_TEST_CLIENT"

// stand starts a lock over a Redis, with a follower if wanted.
func stand(t *testing.T, id string, followers int) *stress.Stand {
	t.Helper()
	realredis.Need(t)
	c, err := scenarios.Registry(builtin.Locks()).Cell("contention", id, []traces.Parameter{{Name: "ttl", Value: "500ms"}, {Name: "clients", Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	c.Params.Followers = followers
	return start(t, c)
}

func start(t *testing.T, c cell.Cell) *stress.Stand {
	t.Helper()
	target := stress.Target{Cell: c, Store: redis.Store, Program: realclient.Program{Command: []string{os.Args[0]}, Env: []string{asClient + "=1"}}}
	s, err := target.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// round runs a round, and fails if it violates one of the properties.
func round(t *testing.T, s *stress.Stand, f stress.Faults, properties ...string) *stress.Round {
	t.Helper()
	r, err := s.Round(t.Context(), 1, f, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range properties {
		for _, v := range s.Judge(r, p) {
			if v.Status != model.Holds && !v.Limit {
				t.Errorf("%s: %s: %s", p, v.Status, v.Sentence)
			}
		}
	}
	return r
}

// count counts observations.
func count(r *stress.Round, kind model.ObservationKind) (n int) {
	for i := range r.History.Observations {
		if r.History.Observations[i].Kind == kind {
			n++
		}
	}
	return n
}

// TestCalm: without faults clients take turns, and each change of the key has the operation that made it.
func TestCalm(t *testing.T) {
	s := stand(t, "setpx", 0)
	r := round(t, s, stress.None{}, checker.OwnerOnlyRelease, checker.Progress)
	if r.Acquired == 0 || r.Faults != 0 {
		t.Errorf("the lock was acquired %d times, and there were %d faults", r.Acquired, r.Faults)
	}
	for i := range r.History.Observations {
		o := &r.History.Observations[i]
		if op := r.History.Operation(o.By.Op); o.Kind == model.RecordCreated && (op == nil || op.Kind != model.Acquire || op.Client != o.By.Client) {
			t.Errorf("the key was created by %+v", o.By)
		}
	}
	if again := round(t, s, stress.None{}, checker.OwnerOnlyRelease); again.Acquired == 0 {
		t.Error("a second round has no acquisition")
	}
}

// TestTries: a lock that can be tried without waiting is, and no other.
func TestTries(t *testing.T) {
	for id, want := range map[string]bool{"pull": true, "setpx": false} { // unordered: each by itself
		r := round(t, stand(t, id, 0), stress.None{})
		if got := slices.ContainsFunc(r.History.Operations, func(op model.Operation) bool { return op.Try }); got != want {
			t.Errorf("%s: tried without waiting: %t", id, got)
		}
	}
}

// losing loses the answer to each request of one kind.
type losing struct {
	stress.None
	what string
}

func (l losing) Answer(m stress.Message) stress.Fate {
	return stress.Fate{Lost: strings.HasPrefix(m.What, l.what) && m.At < 300*time.Millisecond}
}

// TestLostAnswers: an answer that is lost is in the history, and the request before it was executed.
func TestLostAnswers(t *testing.T) {
	r := round(t, stand(t, "setpx", 0), losing{what: "SET"}, checker.OwnerOnlyRelease)
	if r.Faults == 0 || count(r, model.ReplyLost) == 0 {
		t.Errorf("%d faults, %d answers were lost", r.Faults, count(r, model.ReplyLost))
	}
	var kinds []model.ObservationKind
	for i := range r.History.Observations {
		kinds = append(kinds, r.History.Observations[i].Kind)
	}
	if created, lost := slices.Index(kinds, model.RecordCreated), slices.Index(kinds, model.ReplyLost); created < 0 || created > lost {
		t.Errorf("the key was not created before the answer was lost: %v", kinds)
	}
}

// acting does something once.
type acting struct {
	stress.None
	do   func(stress.Acts)
	done *bool
}

func (a acting) Act(acts stress.Acts) {
	if !*a.done && acts.At() > 200*time.Millisecond {
		*a.done = true
		a.do(acts)
	}
}

// TestActs: what is done to processes and servers is in the history, and the next round goes on.
func TestActs(t *testing.T) {
	for _, c := range []struct {
		name      string
		followers int
		do        func(stress.Acts)
		want      model.ObservationKind
	}{
		{"stop", 0, func(a stress.Acts) { a.Stop("c1", 300*time.Millisecond) }, model.Paused},
		{"kill", 0, func(a stress.Acts) { a.Kill("c2") }, model.Crashed},
		{"fail over", 1, func(a stress.Acts) { a.Replicate(); a.FailOver() }, model.Promoted},
		{"restart", 0, func(a stress.Acts) { a.FailOver() }, model.Returned},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, done := stand(t, "pull", c.followers), false
			r := round(t, s, acting{do: c.do, done: &done}, checker.OwnerOnlyRelease)
			if !done || count(r, c.want) == 0 {
				t.Errorf("there is no %s in the history", c.want)
			}
			if r := round(t, s, stress.None{}, checker.OwnerOnlyRelease, checker.Progress); r.Acquired == 0 {
				t.Error("the next round has no acquisition")
			}
		})
	}
}

// TestShared: an object that is no mutex is refused.
func TestShared(t *testing.T) {
	c, err := scenarios.Registry(builtin.Locks()).Cell("contention", "semaphore", nil)
	if err != nil {
		t.Fatal(err)
	}
	target := stress.Target{Cell: c, Store: redis.Store}
	if _, err := target.Start(); err == nil || !strings.Contains(err.Error(), "no mutex") {
		t.Errorf("a semaphore: %v", err)
	}
}
