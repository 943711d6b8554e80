package simpostgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// clients is how many increment a counter at once.
const clients = 3

// chaos lets clients increment a counter under a lock on its row, while servers crash and hang. It
// returns the last value of the counter, how many increments were confirmed, and how many
// may have been made without that.
func chaos(t *testing.T, seed uint64) (last, confirmed, unknown int, seen []model.Observation, hash uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	report := sim.Run(sim.Config{Tape: explore.Random(seed, clients), Horizon: 5 * time.Minute, MaxEvents: 200_000}, func(w *sim.World) {
		c := New(w, Options{}, func(o model.Observation) { seen = append(seen, o) })
		if err := c.Load("CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 0), (2, 0)"); err != nil {
			t.Fatal(err)
		}
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: time.Millisecond})
		n := c.Nodes()[0]
		at := func(d time.Duration, f func()) {
			w.At(n.Actor, d, sim.EventFault, sim.EventOptions{Vital: true}, f)
		}
		crash := time.Duration(rng.IntN(200)) * time.Millisecond
		at(crash, n.Crash)
		at(crash+50*time.Millisecond, func() {
			if err := c.Restart(n); err != nil {
				t.Error(err)
			}
		})
		at(time.Duration(rng.IntN(200))*time.Millisecond, func() { n.Hang(20 * time.Millisecond) })
		for i := range clients {
			p := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", i+1)})
			p.Go(func() {
				for range 10 {
					done, maybe := increment(p, c.Address())
					confirmed, unknown = confirmed+done, unknown+maybe
					p.Step("work", 5*time.Millisecond)
				}
			})
		}
	})
	if report.Failure != nil {
		t.Fatalf("seed %d failed: %v\n%s", seed, report.Failure, report.Failure.Stack)
	}
	for _, o := range seen {
		if o.Key == RowKey("t", "1") && (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) {
			var err error
			if last, err = strconv.Atoi(o.Items[3]); err != nil {
				t.Fatalf("seed %d: the counter is %s", seed, o.Items[3])
			}
		}
	}
	return last, confirmed, unknown, seen, report.Hash
}

// increment increments the counter in a transaction, by a value that it has read.
func increment(p *sim.Process, address string) (done, maybe int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	db, err := dialURL(p, "postgres://postgres@"+address+"/postgres?sslmode=disable")
	if err != nil {
		return 0, 0
	}
	defer func() { _ = db.Close(ctx) }()
	tx, err := db.BeginTx(ctx, pgx.TxOptions{})
	if err != nil {
		return 0, 0
	}
	var v int
	if err := tx.QueryRow(ctx, "SELECT v FROM t WHERE id = 1 FOR UPDATE").Scan(&v); err != nil {
		return 0, 0
	}
	if _, err := tx.Exec(ctx, "UPDATE t SET v = $1 WHERE id = 1", v+1); err != nil {
		return 0, 0
	}
	if tx.Commit(ctx) != nil {
		return 0, 1
	}
	return 1, 0
}

// TestNothingIsLost: under crashes and hangs a lock on a row keeps increments apart, and what was confirmed to a client stays.
func TestNothingIsLost(t *testing.T) {
	seeds := 150
	if testing.Short() {
		seeds = 40
	}
	all := 0
	for seed := range uint64(seeds) {
		last, confirmed, unknown, _, _ := chaos(t, seed)
		if last < confirmed || last > confirmed+unknown {
			t.Errorf("seed %d: the counter is %d after %d confirmed increments and %d others", seed, last, confirmed, unknown)
		}
		all += confirmed
	}
	if all < 12*seeds {
		t.Errorf("too little happened: %d increments in %d runs", all, seeds)
	}
}

// TestRunsRepeat: the same tape makes the same run, on one processor: pgx writes the parameters of its start in the order of a map.
func TestRunsRepeat(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for seed := range uint64(5) {
		_, _, _, first, hash := chaos(t, seed)
		_, _, _, second, again := chaos(t, seed)
		if hash != again || !slices.EqualFunc(first, second, func(a, b model.Observation) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) || len(first) == 0 {
			t.Errorf("seed %d: two runs differ", seed)
		}
	}
}
