package types_test

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

var update = flag.Bool("update", false, "ask a real PostgreSQL for the results of testdata/expressions.txt")

const goldenFile = "testdata/expressions.golden"

// expressions reads the expressions of the test.
func expressions(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return slices.DeleteFunc(lines, func(s string) bool { return strings.HasPrefix(s, "#") })
}

// TestExpressions compares types, texts, binary formats and errors of expressions with those of PostgreSQL 15.
func TestExpressions(t *testing.T) {
	if *update {
		askReal(t)
	}
	b, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	golden := strings.Split(string(b), "\n\n")
	list := expressions(t)
	if len(golden) != len(list) {
		t.Fatalf("%d results of %d expressions: update the golden file with -update", len(golden), len(list))
	}
	differ := 0
	for i, expr := range list {
		want := strings.TrimSpace(golden[i])
		if got := strings.TrimSpace(expr + "\n" + simulated(expr)); got != want {
			t.Errorf("simulated: %s\nreal: %s", got, want)
			differ++
		}
	}
	t.Logf("%d expressions, %d differ", len(list), differ)
}

// TestGoldenIsReal compares the golden file with a real server.
func TestGoldenIsReal(t *testing.T) {
	if testing.Short() {
		t.Skip("the golden file is compared with a real server without -short")
	}
	got := realResults(t)
	b, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(b) {
		t.Errorf("%s is not what the real server answers: update it with -update", goldenFile)
	}
}

// askReal writes the golden file.
func askReal(t *testing.T) {
	if err := os.WriteFile(goldenFile, []byte(realResults(t)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func realResults(t *testing.T) string {
	realpostgres.Need(t)
	server := realpostgres.Start(t, "timezone=UTC")
	conn, err := pgconn.Connect(t.Context(), server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var all []string
	for _, expr := range expressions(t) {
		all = append(all, expr+"\n"+real(t, conn, expr))
	}
	return strings.Join(all, "\n\n") + "\n"
}

// real asks the server for an expression, in both formats.
func real(t *testing.T, conn *pgconn.PgConn, expr string) string {
	text := conn.ExecParams(t.Context(), "SELECT "+expr, nil, nil, nil, []int16{0}).Read()
	if text.Err != nil {
		var e *pgconn.PgError
		if !errors.As(text.Err, &e) {
			t.Fatal(text.Err)
		}
		return describeError(e.Code, e.Message, e.Detail, e.Hint, e.Where, int(e.Position))
	}
	binary := conn.ExecParams(t.Context(), "SELECT "+expr, nil, nil, nil, []int16{1}).Read()
	if binary.Err != nil {
		t.Fatal(expr, binary.Err)
	}
	oid := types.OID(text.FieldDescriptions[0].DataTypeOID)
	value, null := text.Rows[0][0], text.Rows[0][0] == nil
	return describe(oid, string(value), binary.Rows[0][0], null)
}

func describe(t types.OID, text string, binary []byte, null bool) string {
	if null {
		return types.InternalName(t) + " NULL"
	}
	return fmt.Sprintf("%s %q %s", types.InternalName(t), text, hex.EncodeToString(binary))
}

// describeError leaves the position of errors that are not the parser's to the test of the executor.
func describeError(code, message, detail, hint, where string, position int) string {
	s := fmt.Sprintf("ERROR %s: %s", code, message)
	if detail != "" {
		s += fmt.Sprintf(" | %s", detail)
	}
	if hint != "" {
		s += fmt.Sprintf(" (%s)", hint)
	}
	if where != "" {
		s += fmt.Sprintf(" [%s]", where)
	}
	if code == pgerror.SyntaxError {
		s += fmt.Sprintf(" at %d", position)
	}
	return s
}

func simulated(expr string) string {
	v, err := evaluate(expr)
	if err != nil {
		e := pgerror.From(err)
		return describeError(e.Code, e.Message, e.Detail, e.Hint, e.Where, e.Position)
	}
	if v.v == nil {
		return describe(v.t, "", nil, true)
	}
	binary, err := types.Binary(v.t, v.v)
	if err != nil {
		return err.Error()
	}
	return describe(v.t, types.Text(v.t, v.v), binary, false)
}
