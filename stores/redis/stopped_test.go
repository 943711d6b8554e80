package redis_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// stale are the locks that a node which had been stopped has granted in a run although another of its server had been promoted in its place,
// and when it learned that.
func stale(h *model.History, servers [][]string) (granted []model.Observation, heard []time.Duration) {
	server := func(node string) int {
		return slices.IndexFunc(servers, func(nodes []string) bool { return slices.Contains(nodes, node) })
	}
	serving, stopped := map[int]string{}, map[string]bool{}
	for _, o := range h.Observations {
		now := serving[server(o.Node)]
		switch {
		case o.Kind == model.Promoted && o.Epoch > 0:
			serving[server(o.Node)] = o.Node
		case o.Kind == model.Paused:
			stopped[o.Node] = true
		case o.Kind == model.RecordCreated && o.Authority == o.Node && stopped[o.Node] && now != "" && o.Node != now && o.By.Client != "":
			granted = append(granted, o)
		case o.Kind == model.Returned:
			for _, g := range granted[len(heard):] {
				if g.Node == o.Node {
					heard = append(heard, o.At)
				}
			}
		}
	}
	return granted, heard
}

// TestStoppedMasters: a master that was stopped executes the requests that lie in its sockets, though another has been promoted meanwhile. It
// grants the lock then. Over a Redis Cluster it hears of the higher epoch a few milliseconds later, and over sentinels ten seconds later. Two holders
// because of that are a limit, and the lock is not blamed for what it was told.
func TestStoppedMasters(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, e := range []struct {
		topology string
		within   time.Duration
	}{{"sentinel", 15 * time.Second}, {"cluster", 200 * time.Millisecond}} {
		t.Run(e.topology, func(t *testing.T) {
			c := deployed(t, "hung-node", e.topology)
			grants, runs, limits := 0, 0, 0
			for n := range 800 {
				out := c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
				if out.Failure != nil {
					t.Fatalf("schedule %d: %s\n%s", n, out.Failure.Reason, out.Failure.Stack)
				}
				granted, heard := stale(&out.Recording.History, redisstore.Store.Lanes(c.Params))
				if grants += len(granted); len(granted) > 0 {
					runs++
				}
				for i := range heard {
					if took := heard[i] - granted[i].At; took > e.within {
						t.Errorf("schedule %d: it granted at %v, and learned at %v that it has been replaced", n, granted[i].At, heard[i])
					}
				}
				for _, v := range out.Verdicts {
					switch {
					case v.Status != model.Violated || checker.Weak(v.Property) || v.Property == checker.TruthfulAcquire:
					case !v.Limit:
						t.Errorf("schedule %d: %s: %s", n, v.Property, v.Sentence)
					case v.Property == checker.MutualExclusion && v.Cause == model.TwoMasters:
						limits++
					}
				}
			}
			t.Logf("%d grants of a replaced node that was stopped, in %d of 800 schedules; %d limits", grants, runs, limits)
			if grants == 0 || limits == 0 {
				t.Errorf("%d grants of a replaced node that was stopped, in %d of 800 schedules; %d limits", grants, runs, limits)
			}
		})
	}
}
