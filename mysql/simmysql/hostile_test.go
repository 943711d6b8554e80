package simmysql

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestHostileStatements: statements that no client sends in earnest are answered, and soon.
func TestHostileStatements(t *testing.T) {
	const many = 100_000
	for _, test := range []struct {
		name, query string
		number      uint16 // of the error; 0 for none
	}{
		{"many wildcards", "SHOW VARIABLES LIKE '" + strings.Repeat("%", 40) + "x'", 0},
		{"all columns beside an aggregate", "SELECT *, COUNT(*) FROM t", 1064},
		{"many parentheses", "SELECT " + strings.Repeat("(", many) + "1" + strings.Repeat(")", many), 1064},
		{"many negations", "SELECT " + strings.Repeat("!", many) + "1", 1064},
		{"many signs", "SELECT " + strings.Repeat("-", many) + "1", 1064},
		{"many operators", "SELECT 1" + strings.Repeat("+1", many), 1064},
		{"many calls", "SELECT " + strings.Repeat("ABS(", many) + "1" + strings.Repeat(")", many), 1064},
		{"many ranges", "SELECT 1" + strings.Repeat(" BETWEEN 0 AND 1", 100), 0},
		{"a long number in a text", "SELECT '" + strings.Repeat("1.", 40*many) + "' + 0", 0},
		{"no number", "DO SLEEP(1e308 * 10 - 1e308 * 10)", 1690},
	} {
		t.Run(test.name, func(t *testing.T) {
			began := time.Now()
			run(t, Options{}, func(s *stage) {
				rows, err := s.session(s.cluster.Address()).QueryContext(context.Background(), test.query)
				if err == nil {
					err = errors.Join(rows.Err(), rows.Close())
				}
				e := new(mysql.MySQLError)
				if errors.As(err, &e); e.Number != test.number || err != nil && e.Number == 0 {
					t.Errorf("error %v, want %d", err, test.number)
				}
			})
			if d := time.Since(began); d > 20*time.Second {
				t.Errorf("answered after %v", d)
			}
		})
	}
}

// TestNamedLockAgain: who gives up a named lock and wants it back in one statement waits behind the
// one that has got it.
func TestNamedLockAgain(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "DO GET_LOCK('a', 0)")
		done := make(chan int, 1)
		go func() { done <- attempt(second, "DO GET_LOCK('a', 60)") }()
		s.until(1)
		s.must(first, "DO RELEASE_LOCK('a'), GET_LOCK('a', 1)")
		if n := <-done; n != 0 {
			t.Errorf("error %d", n)
		}
		var used int64
		if err := first.QueryRowContext(context.Background(), "SELECT IS_USED_LOCK('a')").Scan(&used); err != nil || used != 2 {
			t.Errorf("connection %d has the lock: %v", used, err)
		}
	})
}

// FuzzPackets: whatever a client sends after the greeting, the server answers or hangs up, and serves
// others.
func FuzzPackets(f *testing.F) {
	login := append([]byte{0, 0, 0, 0}, make([]byte, 28)...)
	login[1] = byte(canProtocol41 >> 8)
	hello := packets(1, string(login)+"root\x00\x00")
	f.Add(hello)
	for _, q := range []string{
		"\x03SELECT 1", "\x03CREATE TABLE u (id INT PRIMARY KEY)", "\x03INSERT INTO t VALUES (1, 2) ON DUPLICATE KEY UPDATE v = v + 1",
		"\x16SELECT * FROM t WHERE id = ?", "\x16SELECT *", "\x16SELECT id", "\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00", "\x1f", "\x0e", "\x02test",
	} {
		f.Add(append(append([]byte{}, hello...), packets(0, q)...))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		report := sim.Run(sim.Config{}, func(w *sim.World) {
			w.AnswerUnsupported()
			c := New(w, Options{}, func(model.Observation) {})
			if err := c.Load("CREATE TABLE t (id INT PRIMARY KEY, v INT)"); err != nil {
				t.Fatal(err)
			}
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				conn, err := p.DialContext(context.Background(), "tcp", c.Address(), time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = conn.Write(sent)
				p.Step("wait", time.Second)
				_ = conn.Close()
				db := open(t, p, c.Address())
				defer db.Close()
				if err := db.Ping(); err != nil {
					t.Error(err)
				}
			})
		})
		if report.Failure != nil {
			t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
		}
	})
}
