package etcdlab_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// The connector reaches a real etcd, and nothing is left of a run.
func TestReal(t *testing.T) {
	realetcd.Need(t)
	l := builtin.Locks()[0]
	one := &experiments.Experiment{ID: "turns", Variants: func(experiments.Values, []cell.Lock) ([]experiments.Variant, error) {
		return []experiments.Variant{{Name: l.ID, Plan: lab.Plan{
			Store: etcd.Store, Params: stage.Params{TTL: 5 * time.Second, Followers: 2}, Processes: 3, Threads: 2, Limit: time.Minute,
			Client: func(c *cell.Client) func(*lab.Thread) {
				locker := lab.Locker(l, c)
				return func(t *lab.Thread) {
					for range 5 {
						if h := t.Acquire(locker, 0); h != nil {
							t.Sleep(time.Millisecond)
							_ = t.Release(h)
						}
					}
				}
			},
		}}}, nil
	}}
	before := runtime.NumGoroutine()
	samples, notes, err := experiments.Real(t.Context(), one, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(samples[0]) == 0 || len(notes) != 3 {
		t.Errorf("%d samples, notes %q", len(samples[0]), notes)
	}
	for _, s := range samples[0] {
		if s.Count(lab.Acquired) != 30 || s.Overlaps() != 0 || s.Lost() != 0 || s.Served("etcd1", "Txn") == 0 || s.Served("etcd1", "LeaseGrant") == 0 {
			t.Errorf("of 30 tries %d have the lock, %d at once with another, %d lost; %v", s.Count(lab.Acquired), s.Overlaps(), s.Lost(), s.Requests)
		}
	}
	realserver.Settled(t, before)
}
