package executor

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// The scripts in testdata have the answers of a real PostgreSQL 15. To ask it again:
//
//	go test ./internal/executor -run TestScripts -update -postgres 'host=/tmp/pg user=postgres'
var (
	update = flag.Bool("update", false, "ask the real server for the answers of the scripts")
	server = flag.String("postgres", "", "the connection string of the real server")
)

// player plays the lines of a script.
type player interface {
	// start begins to execute statements of a session.
	start(who, text string)
	// answers returns the answer, and false while the session waits for a lock.
	answers(who string) ([]string, bool)
	close()
}

// play returns a script with the answers of a player.
func play(p player, script string) string {
	var out strings.Builder
	var waiting []string
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		who, text, ok := strings.Cut(line, ": ")
		if strings.HasPrefix(line, "    ") {
			continue // an answer
		}
		fmt.Fprintln(&out, line)
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		p.start(who, text)
		for _, w := range append([]string{who}, waiting...) {
			lines, done := p.answers(w)
			if !done {
				if w == who {
					waiting = append(waiting, w)
					fmt.Fprintln(&out, "    waits")
				}
				continue
			}
			if w != who {
				fmt.Fprintf(&out, "    of %s:\n", w)
			}
			for i, have := range waiting {
				if have == w {
					waiting = append(append([]string(nil), waiting[:i]...), waiting[i+1:]...)
				}
			}
			for _, l := range lines {
				fmt.Fprintln(&out, "    "+l)
			}
		}
	}
	return out.String()
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := string(text)
			if *update {
				p := newReal(t)
				want = play(p, want)
				p.close()
				if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			p := newSimulated(t)
			defer p.close()
			compare(t, play(p, want), want)
		})
	}
}

// compare reports the differences, each with the line of the script.
func compare(t *testing.T, got, want string) {
	g, w := blocks(got), blocks(want)
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("the simulation answers\n%swant\n%s", g[i], w[i])
		}
	}
}

// blocks divides a script into lines with their answers.
func blocks(script string) (list []string) {
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "    ") && len(list) > 0 {
			list[len(list)-1] += line
		} else {
			list = append(list, line)
		}
	}
	return list
}

// realServer plays scripts on a real server.
type realServer struct {
	t        *testing.T
	sessions map[string]*realSession
	watch    *pgconn.PgConn
}

type realSession struct {
	conn    *pgconn.PgConn
	done    chan []string
	answer  []string
	over    bool
	notices []string
}

func newReal(t *testing.T) player {
	p := &realServer{t: t, sessions: map[string]*realSession{}}
	p.watch = p.connect(nil).conn
	if _, err := p.watch.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public").ReadAll(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *realServer) connect(s *realSession) *realSession {
	config, err := pgconn.ParseConfig(*server)
	if err != nil {
		p.t.Fatal(err)
	}
	if s == nil {
		s = &realSession{}
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		s.notices = append(s.notices, fmt.Sprintf("%s %s: %s", n.Severity, n.Code, n.Message))
	}
	if s.conn, err = pgconn.ConnectConfig(p.t.Context(), config); err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *realServer) start(who, text string) {
	s := p.sessions[who]
	if s == nil {
		s = p.connect(nil)
		p.sessions[who] = s
	}
	s.over, s.answer, s.done = false, nil, make(chan []string, 1)
	go func() { s.done <- s.execute(text) }()
}

// execute executes statements, and shows their results.
func (s *realSession) execute(text string) (out []string) {
	s.notices = nil
	results := s.conn.Exec(context.Background(), text)
	for results.NextResult() {
		r := results.ResultReader()
		if fields := r.FieldDescriptions(); fields != nil {
			var head []string
			for _, f := range fields {
				head = append(head, fmt.Sprintf("%s(%d)", f.Name, f.DataTypeOID))
			}
			out = append(out, strings.Join(head, "|"))
		}
		for r.NextRow() {
			var parts []string
			for _, v := range r.Values() {
				text := "NULL"
				if v != nil {
					text = string(v)
				}
				parts = append(parts, text)
			}
			out = append(out, strings.Join(parts, "|"))
		}
		tag, err := r.Close()
		if err == nil {
			out = append(out, tag.String())
		} else if len(r.FieldDescriptions()) > 0 {
			out = out[:0]
		}
	}
	err := results.Close()
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		out = append(out, showError(&pgerror.Error{Severity: pgerror.Severity(e.Severity), Code: e.Code, Message: e.Message, Detail: e.Detail, Position: int(e.Position)}))
	}
	return append(s.notices, out...)
}

func (p *realServer) answers(who string) ([]string, bool) {
	s := p.sessions[who]
	for blocked := 0; !s.over && blocked < 3; {
		select {
		case s.answer = <-s.done:
			s.over = true
		case <-time.After(20 * time.Millisecond):
			results, err := p.watch.Exec(p.t.Context(), fmt.Sprintf("SELECT 1 FROM pg_stat_activity WHERE pid = %d AND wait_event_type = 'Lock'", s.conn.PID())).ReadAll()
			if err != nil {
				p.t.Fatal(err)
			}
			if len(results[0].Rows) > 0 {
				blocked++
			}
		}
	}
	return s.answer, s.over
}

func (p *realServer) close() {
	for _, s := range p.sessions {
		s.conn.Close(context.Background())
	}
	p.watch.Close(context.Background())
}
