package simmysql

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
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
