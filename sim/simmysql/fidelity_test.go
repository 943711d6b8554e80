package simmysql

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/realmysql"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
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
		"(SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock')")
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

// simulatedPlace is a server in a world.
type simulatedPlace struct {
	db      *sql.DB
	process *sim.Process
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
func onSimulated(t testing.TB, sessions int, script []command) (lines []string) {
	report := sim.Run(sim.Config{MaxEvents: 1 << 30}, func(w *sim.World) {
		c := New(w, Options{}, func(model.Observation) {})
		process := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		process.Go(func() {
			db := open(t, process, c.Address())
			defer db.Close()
			x := &player{place: &simulatedPlace{db, process}}
			lines = x.play(sessions, setUp, script)
		})
	})
	if report.Failure != nil {
		lines = append(lines, fmt.Sprintf("the run failed: %v\n%s", report.Failure, report.Failure.Stack))
	}
	return lines
}

// difference is the first line in which two plays differ, with what came before it, or "".
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if i < len(got) && i < len(want) && got[i] == want[i] {
			continue
		}
		line := func(lines []string) string {
			if i < len(lines) {
				return lines[i]
			}
			return "(the end)"
		}
		return fmt.Sprintf("%s\nsimulated: %s\nreal:      %s", strings.Join(want[:min(i, len(want))], "\n"), line(got), line(want))
	}
	return ""
}

// attempts is how often a script may differ before it counts: when the machine is busy, a real
// server's statements may come to wait late. Each attempt has more patience.
const attempts = 4

// compareScript plays a script in a world and on the real server, and returns where they differ.
func compareScript(t testing.TB, p *realPlace, sessions int, script []command) (d string) {
	got := onSimulated(t, sessions, script)
	p.patience = time.Millisecond
	for range attempts {
		x := &player{place: p}
		if d = difference(got, x.play(sessions, setUp, script)); d == "" {
			return ""
		}
		p.patience *= 4
	}
	return d
}

// TestFidelity plays random scripts of two and three sessions on a real server and on a simulated one,
// and compares what the sessions are told line by line, and who waits.
func TestFidelity(t *testing.T) {
	real := newRealPlace(t)
	scripts := 200
	switch {
	case os.Getenv("LOCKPICK_LONG") != "":
		scripts = 2000
	case testing.Short():
		scripts = 40
	}
	compared, differs := 0, false
	property := func(rt *rapid.T) {
		if compared == scripts && !differs { // one that differs is made smaller
			return
		}
		sessions := rapid.IntRange(2, 3).Draw(rt, "sessions")
		if d := compareScript(t, real, sessions, drawScript(rt, 25, sessions)); d != "" {
			differs = true
			rt.Fatal(d)
		}
		compared++
	}
	for compared < scripts && !differs {
		rapid.Check(t, property)
	}
	t.Logf("%d scripts compared", compared)
}
