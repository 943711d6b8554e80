package executor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// TestPrograms executes what programs sent to a real server, with the first parameters, and compares the types of the
// parameters with those that the server inferred.
func TestPrograms(t *testing.T) {
	files, _ := filepath.Glob("../syntax/testdata/programs/*.sql")
	if len(files) == 0 {
		t.Fatal("there are no statements")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			s := newHost().session()
			s.settings["server_version_num"] = "150018"
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if name := filepath.Base(file); name == "river.sql" || name == "riversql.sql" {
				migrations, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "river-migrate.sql"))
				text = append(append(migrations, "\n\n"...), text...)
			}
			for block := range strings.SplitSeq(string(text), "\n\n-- ") {
				kind, rest, _ := strings.Cut(strings.TrimPrefix(block, "-- "), "\n")
				s.program(t, kind, rest)
			}
		})
	}
}

// program executes one statement of a program.
func (s *session) program(t *testing.T, kind, text string) {
	var want, params string
	for _, h := range []struct {
		prefix string
		to     *string
	}{{"-- types: ", &want}, {"-- parameters: ", &params}} {
		if rest, ok := strings.CutPrefix(text, h.prefix); ok {
			*h.to, text, _ = strings.Cut(rest, "\n")
		}
	}
	stmts, err := syntax.Parse(text)
	if err != nil {
		if pgerror.Lacking(err) == "" {
			t.Errorf("%s: %v", text, err)
		}
		return
	}
	s.answer = nil
	for _, st := range stmts {
		switch st := st.(type) {
		case *syntax.Listen, *syntax.Unlisten, *syntax.Set, *syntax.Show, *syntax.SetTransaction:
			continue
		case *syntax.Transaction:
			switch st.Kind {
			case syntax.Begin, syntax.StartTransaction, syntax.Commit, syntax.Rollback:
				continue // the file has each statement once
			}
		}
		if err := s.once(st, kind, want, params); err != "" {
			t.Errorf("%s\n%s", text, err)
		}
	}
}

// once executes a statement in a transaction of its own, and returns what is wrong.
func (s *session) once(st syntax.Statement, kind, want, params string) (wrong string) {
	s.backend.Begin(storage.Characteristics{})
	s.began, s.read = s.host.now, s.host.now
	p, err := Prepare(s, st, nil)
	if err != nil {
		s.backend.Abort(nil)
		return showError(pgerror.From(err))
	}
	a, _ := newAnalysis(s, nil)
	var names []string
	for _, t := range p.Params {
		names = append(names, a.typeName(t))
	}
	if got := strings.Join(names, ","); kind == "extended" && got != want {
		wrong = "the parameters are " + got + ", want " + want
	}
	values := make([]types.Value, len(p.Params))
	for i, text := range parameters(params) {
		if text == nil {
			continue
		}
		if values[i], err = a.input(p.Params[i], -1, *text); err != nil {
			wrong = err.Error()
		}
	}
	s.next, _ = nil, s.yield
	if _, err := p.Run(s, values); err != nil {
		s.backend.Abort(nil)
		return showError(pgerror.From(err))
	}
	if err := s.backend.Commit(); err != nil {
		return err.Error()
	}
	return wrong
}

// parameters reads the parameters of a log: $1 = 'x', $2 = NULL.
func parameters(s string) (list []*string) {
	for s != "" {
		_, rest, ok := strings.Cut(s, " = ")
		if !ok {
			break
		}
		if after, ok := strings.CutPrefix(rest, "NULL"); ok {
			list = append(list, nil)
			s = after
			continue
		}
		var b strings.Builder
		i := 1
		for ; i < len(rest); i++ {
			if rest[i] == '\'' {
				if i+1 < len(rest) && rest[i+1] == '\'' {
					i++
				} else {
					break
				}
			}
			b.WriteByte(rest[i])
		}
		text := b.String()
		list = append(list, &text)
		s = rest[min(i+1, len(rest)):]
	}
	return list
}
