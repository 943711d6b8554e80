package sql

import (
	"errors"
	"strings"
	"testing"
)

// TestParse: statements as two dialects read them.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		query             string
		backticks, quotes Reason // 0: it is read
	}{
		{"SELECT 1", 0, 0},
		{"SELECT 1;", 0, 0},
		{"", EmptyQuery, EmptyQuery},
		{" /* nothing */ ", EmptyQuery, EmptyQuery},
		{"SELECT 1 /* no end", Unsupported, Unsupported},
		{"SELECT `order` FROM `t x`", 0, Unsupported},
		{`SELECT "order" FROM "t x"`, Unsupported, 0},
		{"SELECT order FROM t", Unsupported, Unsupported},
		{"SELECT 'it''s'", 0, 0},
		{"SELECT 'no end", Malformed, Malformed},
		{"SELECT 1 +", Malformed, Malformed},
		{"INSERT INTO t", Malformed, Malformed},
		{"SELECT 1 && 0", 0, Unsupported},
		{"SELECT 5 % 3", 0, Unsupported},
		{"SELECT 1 != 2", Unsupported, 0},
		{"SELECT @v", Unsupported, Unsupported},
		{"SELECT 1 LIMIT 1, 2", Unsupported, Unsupported},
		{"SELECT 1 LIMIT 2 OFFSET 1", 0, 0},
		{"SELECT LOWER('a')", 0, 0},
		{"SELECT LOWER()", ArgumentCount, ArgumentCount},
		{"SELECT UNKNOWN(1)", Unsupported, Unsupported},
		{"SELECT v FROM d.t", 0, 0},
		{"SELECT v FROM e.t", Unsupported, Unsupported},
		{"SELECT v FROM t FOR UPDATE NOWAIT", 0, 0},
		{"SELECT EXISTS (SELECT v FROM t)", 0, 0},
		{"SELECT EXISTS (SELECT v FROM t", Malformed, Malformed},
		{"SELECT EXISTS (1)", Unsupported, Unsupported},
		{"INSERT INTO t (a, b) VALUES (1, DEFAULT), (?, ?)", 0, 0},
		{"INSERT INTO t SET a = 1", Unsupported, Unsupported},
		{"CREATE TABLE t (id INT PRIMARY KEY, v TEXT NOT NULL DEFAULT 'x', UNIQUE (v))", 0, 0},
		{"CREATE TABLE t (id BLOB)", Unsupported, Unsupported},
		{"CREATE TABLE t (id INT) ENGINE = x", Unsupported, Unsupported},
		{"VACUUM", Unsupported, Unsupported},
		{"SELECT " + strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000), Unsupported, Unsupported},
	} {
		for _, d := range []struct {
			name    string
			dialect *Dialect
			want    Reason
		}{{"backticks", backticks, test.backticks}, {"quotes", quotes, test.quotes}} {
			_, err := d.dialect.Parse(test.query)
			var e *Error
			if errors.As(err, &e); (err == nil) != (d.want == 0) || e != nil && e.Reason != d.want {
				t.Errorf("%.60s in %s: %v, want %v", test.query, d.name, err, d.want)
			}
		}
	}
}

// TestParams: parameters are counted, and get their values.
func TestParams(t *testing.T) {
	p, err := backticks.Parse("SELECT ? + ?")
	if err != nil || p.Params != 2 {
		t.Fatalf("%d parameters: %v", p.Params, err)
	}
	b := newBench(backticks)
	a := b.peer("a")
	a.send("SELECT ? + ?", IntValue(2), IntValue(3))
	a.send("SELECT ? + ?", IntValue(2))
	if got := strings.Join(b.said, "; "); got != "a [[5]]; a a parameter has no value" {
		t.Errorf("answered %s", got)
	}
}

// TestDialects: two dialects carry the same statements out differently.
func TestDialects(t *testing.T) {
	const fill = `
		a CREATE TABLE t (id INT PRIMARY KEY, v TEXT, UNIQUE (v)) => a 0
		a INSERT INTO t VALUES (1, 'a') => a 1
		`
	newBench(backticks).play(t, fill+`
		a SELECT id FROM t WHERE v = 'A' => a [[1]]
		a INSERT INTO t VALUES (2, 'A') => a A is there already in key v
		a BEGIN => a 0
		a DELETE FROM t => a 1
		a BEGIN => a 0
		a INSERT INTO t VALUES (3, 'c') => a 1
		a CREATE TABLE u (id INT) => a 0
		a ROLLBACK => a 0
		a SELECT v FROM t => a [[c]]`)
	newBench(quotes).play(t, fill+`
		a SELECT id FROM t WHERE v = 'A' => a []
		a INSERT INTO t VALUES (2, 'A') => a 1
		a BEGIN => a 0
		a DELETE FROM t => a 2
		a BEGIN => a the statement cannot be carried out in a transaction
		a CREATE TABLE u (id INT) => a the statement cannot be carried out in a transaction
		a ROLLBACK => a 0
		a SELECT v FROM t ORDER BY v => a [[A] [a]]`)
}

// TestReasons: every reason has a text.
func TestReasons(t *testing.T) {
	for _, r := range Reasons() {
		if reasonTexts[r] == "" {
			t.Errorf("reason %d has no text", r)
		}
	}
}

// FuzzParse: any text is a statement or an error.
func FuzzParse(f *testing.F) {
	for _, q := range []string{"SELECT a, COUNT(*) FROM t WHERE a IN (1, ?) ORDER BY a DESC LIMIT 1 FOR UPDATE", "INSERT INTO t (a) VALUES ('x''y'), (-1.5e3)", "CREATE TABLE t (a INT PRIMARY KEY)"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, d := range []*Dialect{backticks, quotes} {
			if p, err := d.Parse(query); err == nil && p.Statement == nil {
				t.Errorf("%q is neither a statement nor an error", query)
			}
		}
	})
}
