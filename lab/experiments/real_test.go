package experiments

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lab"
	mysqllocks "github.com/lockpick-dev/lockpick/mysql/builtin"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	redisbuiltin "github.com/lockpick-dev/lockpick/stores/redis/builtin"
	zklocks "github.com/lockpick-dev/lockpick/zookeeper/builtin"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

// turns is an experiment that has three processes of two threads take locks in turn.
func turns(locks ...cell.Lock) *Experiment {
	return &Experiment{ID: "turns", Variants: func(Values, []cell.Lock) (list []Variant, err error) {
		for _, l := range locks {
			if l.Store == nil {
				l.Store = redisstore.Store
			}
			list = append(list, Variant{Name: l.ID, Plan: lab.Plan{
				Store:  l.Store,
				Params: stage.Params{TTL: 5 * time.Second, Servers: l.Needs.Servers, Followers: l.Needs.Followers}, Processes: 3, Threads: 2, Limit: time.Minute,
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
			}})
		}
		return list, nil
	}}
}

func find(t *testing.T, locks []cell.Lock, id string) cell.Lock {
	i := slices.IndexFunc(locks, func(l cell.Lock) bool { return l.ID == id })
	if i < 0 {
		t.Fatalf("there is no lock %s", id)
	}
	return locks[i]
}

// The connectors of all stores reach real servers, and nothing is left.
func TestRealStores(t *testing.T) {
	for _, test := range []struct {
		need  func(testing.TB)
		locks []cell.Lock
		ids   []string
		node  string
	}{
		{realredis.Need, redisbuiltin.Locks(), []string{"setpx", "setpx-wait", "redlock", "reentrant"}, "redis1"},
		{realzk.Need, zklocks.Locks(), []string{"zookeeper"}, "zk1"},
		{realmysql.Need, mysqllocks.Locks(), []string{"db-unique-lease", "db-row", "db-named"}, "mysql1"},
	} {
		for _, id := range test.ids {
			t.Run(id, func(t *testing.T) {
				test.need(t)
				before := runtime.NumGoroutine()
				variants, _ := turns(find(t, test.locks, id)).Variants(nil, nil)
				s, err := once(t.Context(), variants[0].Plan, 1)
				if err != nil {
					t.Fatal(err)
				}
				if s.Count(lab.Acquired) != 30 || s.Overlaps() != 0 || s.Lost() != 0 || s.Served(test.node) < 60 || s.Received < 60 {
					t.Errorf("of 30 tries %d have the lock, %d at once with another, %d lost; %v; %d segments", s.Count(lab.Acquired), s.Overlaps(), s.Lost(), s.Requests, s.Received)
				}
				realserver.Settled(t, before)
			})
		}
	}
}

// An experiment, simulated and real, over one network.
func TestCompare(t *testing.T) {
	slowtest.SkipIfShort(t)
	realredis.Need(t)
	r := run(t, hotspot, nil, 2, Values{"tries": 48, "distance": 1})
	done := 0
	notes, err := r.Compare(t.Context(), nil, func(n, _ int) { done = n })
	if err != nil || len(notes) == 0 || done != 2 {
		t.Fatal(done, notes, err)
	}
	for _, row := range hotspot.Report(r).Tables[0].Rows {
		if f := row.Cells[1]; f.Median != 48 || f.Real != 48 || f.Alike != 48 || f.RealRatio() != "×1.00" {
			t.Errorf("%s: of 48 tries have the lock: %+v", row.Name, f)
		}
	}
}

// Servers are gone when a run is interrupted, and variants without a server are told.
func TestRealEnds(t *testing.T) {
	realredis.Need(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	if _, _, err := Real(ctx, hotspot, hotspot.Defaults(), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of an interrupted experiment is %v", err)
	}

	both := turns(find(t, redisbuiltin.Locks(), "setpx"), find(t, mysqllocks.Locks(), "db-row"))
	setpx := both.Variants
	t.Setenv("PATH", t.TempDir()) // where no server is
	if _, _, err := Real(t.Context(), &Experiment{ID: "none", Variants: setpx}, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "apt install redis-server") {
		t.Errorf("without servers the error is %v", err)
	}

	if _, _, err := Real(t.Context(), &Experiment{ID: "far", Variants: setpx, Virtual: "its latencies cannot be had here"}, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "latencies") {
		t.Errorf("the error of an experiment that only runs in virtual time is %v", err)
	}

	var some absent
	some.add(&realserver.MissingError{Kind: realserver.Kind{Name: "MariaDB", Packages: "mariadb-server"}, Missing: "there is no mariadbd"}, "db-row")
	if text := strings.Join(some.notes(), "\n"); !strings.Contains(text, "db-row") || !strings.Contains(text, "apt install mariadb-server") {
		t.Errorf("the notes are %q", text)
	}
}
