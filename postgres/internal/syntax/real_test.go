package syntax_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

// statementsOf reads the statements of testdata/statements.sql, which lines of -- and a word separate.
func statementsOf(t testing.TB) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/statements.sql")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range regexp.MustCompile(`(?m)^-- .*\n`).Split(string(b), -1) {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// TestStatements reads statements as libraries for locks, queues and migrations send them.
func TestStatements(t *testing.T) {
	for _, s := range statementsOf(t) {
		if _, err := syntax.Parse(s); err != nil {
			t.Errorf("%v (%d):\n%s", err, pgerror.From(err).Position, s)
		}
	}
}

// TestSameSyntaxErrors compares the syntax errors of statements that have lost or doubled a word with those of a real
// PostgreSQL.
func TestSameSyntaxErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("a real server is asked for thousands of statements without -short")
	}
	realpostgres.Need(t)
	conn, err := pgconn.Connect(t.Context(), realpostgres.Start(t).DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	r := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for _, s := range statementsOf(t) {
		if strings.Contains(s, "GRANT") {
			continue // the parser skips the words of these statements
		}
		for range 40 {
			mutant := mutate(r, s)
			got, want := simulatedSyntax(mutant), realSyntax(t, conn, mutant)
			tried++
			if got != want && !strings.Contains(got, "does not support") {
				t.Errorf("simulated: %s\nreal: %s\n%s", got, want, mutant)
			}
		}
	}
	t.Logf("%d statements", tried)
}

// words splits a statement roughly.
var words = regexp.MustCompile(`\s+|\$\$[^$]*\$\$|'[^']*'|\w+|.`)

// mutate drops, doubles or exchanges words.
func mutate(r *rand.Rand, s string) string {
	list := words.FindAllString(s, -1)
	i, j := r.IntN(len(list)), r.IntN(len(list))
	switch r.IntN(3) {
	case 0:
		list[i] = ""
	case 1:
		list[i] += " " + list[i]
	default:
		list[i], list[j] = list[j], list[i]
	}
	return strings.Join(list, "")
}

func simulatedSyntax(s string) string {
	if _, err := syntax.Parse(s); err != nil {
		e := pgerror.From(err)
		return fmt.Sprintf("%s: %s at %d", e.Code, e.Message, e.Position)
	}
	return "none"
}

// realSyntax returns the error of the real server if it is one of its grammar's, and else none. The statement is
// prepared only, behind one that fails, so that nothing is executed.
func realSyntax(t *testing.T, conn *pgconn.PgConn, s string) string {
	_, err := conn.Prepare(t.Context(), "", s, nil)
	var e *pgconn.PgError
	switch {
	case err == nil:
		return "none"
	case !errors.As(err, &e):
		t.Fatal(err)
	}
	for _, message := range []string{"syntax error", "unterminated", "trailing junk", "zero-length delimited", "must have an alias",
		"multiple WITH", "multiple ORDER", "multiple LIMIT", "multiple OFFSET", "requires inference", "used more than once", "positional argument", "invalid Unicode", "precision for type"} {
		if strings.HasPrefix(e.Message, message) || strings.Contains(e.Message, message) {
			return fmt.Sprintf("%s: %s at %d", e.Code, e.Message, e.Position)
		}
	}
	return "none"
}
