package simmysql

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

// realPlace is a real server, with a connection that looks at what it does.
type realPlace struct {
	t       testing.TB
	db      *sql.DB
	monitor *sql.Conn
	// patience is for how long things have to stay as they are.
	patience time.Duration
}

func newRealPlace(t testing.TB) *realPlace {
	server := realmysql.Start(t)
	db, err := sql.Open("mysql", server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxIdleConns(0)
	p := &realPlace{t: t, db: db}
	p.monitor = p.connect(0)
	return p
}

func (p *realPlace) connect(int) *sql.Conn {
	c, err := p.db.Conn(context.Background())
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// blocked is how many statements wait for locks.
func (p *realPlace) blocked() (waiting int) {
	row := p.monitor.QueryRowContext(context.Background(), "SELECT "+
		"(SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'Innodb_row_lock_current_waits') + "+
		"(SELECT COUNT(*) FROM information_schema.processlist WHERE state IN ('User lock', 'Waiting for table metadata lock'))")
	if err := row.Scan(&waiting); err != nil {
		p.t.Fatal(err)
	}
	return waiting
}

// settle waits until all statements that are not answered wait for locks, for a little while.
func (p *realPlace) settle(waiting func() int) {
	steady := time.Now()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		n := waiting()
		if n == 0 || n != p.blocked() || n != waiting() {
			steady = time.Now()
		}
		if n == 0 || time.Since(steady) > p.patience {
			break
		}
	}
	time.Sleep(p.patience)
}

// cached is for how long the server answers questions for its transactions with what it has said before, and a little more.
const cached = 110 * time.Millisecond

func (p *realPlace) weights() map[int]weight {
	time.Sleep(cached)
	rows, err := p.monitor.QueryContext(context.Background(), "SELECT trx_mysql_thread_id, trx_rows_modified, trx_lock_structs FROM information_schema.innodb_trx")
	if err != nil {
		p.t.Fatal(err)
	}
	defer rows.Close()
	weights := map[int]weight{}
	for rows.Next() {
		var id int
		var w weight
		if err := rows.Scan(&id, &w.changes, &w.structures); err != nil {
			p.t.Fatal(err)
		}
		weights[id] = w
	}
	if err := rows.Err(); err != nil {
		p.t.Fatal(err)
	}
	return weights
}

// simulatedPlace is a server in a world.
type simulatedPlace struct {
	cluster *Cluster
	db      *sql.DB
	process *sim.Process
}

func (p *simulatedPlace) weights() map[int]weight {
	weights := map[int]weight{}
	for _, t := range p.cluster.Nodes()[0].data.Open() {
		changes, structures := t.Weight()
		weights[int(t.Client().(*session).id)] = weight{changes, structures}
	}
	return weights
}

func (p *simulatedPlace) connect(int) *sql.Conn {
	c, err := p.db.Conn(context.Background())
	if err != nil {
		panic(err)
	}
	return c
}

func (p *simulatedPlace) settle(waiting func() int) {
	p.process.Step("settle", 20*time.Millisecond)
	waiting()
}

// onSimulated plays a script in a world.
func onSimulated(t testing.TB, sessions int, script []command, weighs bool) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		c := New(w, Options{}, func(model.Observation) {})
		process := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		process.Go(func() {
			db := open(t, process, c.Address())
			defer db.Close()
			x := &player{place: &simulatedPlace{c, db, process}, weighs: weighs}
			*lines = x.play(sessions, setUp, script)
		})
	})
}

// compareScript plays a script in a world and on the real server, and returns where they differ,
// with all that came before it. When the machine is busy, a real server's statements may come to wait late: some
// attempts have more patience. And statements that one commit wakes go on side by side there, so that
// it may differ from attempt to attempt which of them is first.
func compareScript(t testing.TB, p *realPlace, sessions int, script []command) string {
	got := onSimulated(t, sessions, script, false)
	const least, most = time.Millisecond, 64 * time.Millisecond
	p.patience = least
	return fidelity.Repeat(func() string {
		x := &player{place: p}
		d := fidelity.Difference(got, x.play(sessions, setUp, script), all)
		if p.patience *= 4; p.patience > most {
			p.patience = least
		}
		return d
	})
}

// TestFidelity plays random scripts of two and three sessions on a real server and on a simulated one,
// and compares the answers to the sessions line by line, and who waits.
func TestFidelity(t *testing.T) {
	real := newRealPlace(t)
	fidelity.Check(t, func(rt *rapid.T) string {
		sessions := rapid.IntRange(2, 3).Draw(rt, "sessions")
		return compareScript(t, real, sessions, drawScript(rt, 25, sessions))
	})
}
