package executor

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

const paramsSchema = `CREATE TABLE t (id int PRIMARY KEY, s text, n bigint, at timestamptz, j jsonb, v varchar(10), a text[], u uuid);
	CREATE TABLE o (id bigserial PRIMARY KEY, k text UNIQUE, "end" timestamptz NOT NULL)`

// TestParams compares the types of parameters and of results with those of the real server.
func TestParams(t *testing.T) {
	const file = "testdata/params.list"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		p := newReal(t).(*realServer)
		if _, err := p.watch.Exec(t.Context(), paramsSchema).ReadAll(); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for line := range strings.Lines(string(text)) {
			query, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			d, err := p.watch.Prepare(t.Context(), "", query, nil)
			fmt.Fprintf(&out, "%s\t%s\n", query, described(d, err))
		}
		p.close()
		text = []byte(out.String())
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := newHost().session()
	s.start(paramsSchema)
	for line := range strings.Lines(string(text)) {
		query, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if got := s.describe(query); got != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", query, got, want)
		}
	}
}

// described writes the description of a prepared statement.
func described(d *pgconn.StatementDescription, err error) string {
	if err != nil {
		e, _ := errors.AsType[*pgconn.PgError](err)
		return showError(&pgerror.Error{Severity: pgerror.Severity(e.Severity), Code: e.Code, Message: e.Message, Detail: e.Detail, Position: int(e.Position)})
	}
	text := fmt.Sprint(d.ParamOIDs)
	for _, f := range d.Fields {
		text += fmt.Sprintf(" %s(%d,%d,%v)", f.Name, f.DataTypeOID, f.TypeModifier, f.TableAttributeNumber)
	}
	return text
}

// describe prepares a statement.
func (s *session) describe(query string) (text string) {
	stmts, err := syntax.Parse(query)
	if err != nil {
		return showError(pgerror.From(err))
	}
	s.backend.Begin(storage.Characteristics{})
	defer s.backend.Abort(nil)
	p, err := Prepare(s, stmts[0], nil)
	if err != nil {
		return showError(pgerror.From(err))
	}
	text = fmt.Sprint(p.Params)
	for _, c := range p.Columns {
		text += fmt.Sprintf(" %s(%d,%d,%v)", c.Name, c.Type, c.Mod, c.Number)
	}
	return text
}
