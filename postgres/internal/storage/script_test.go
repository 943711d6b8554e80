package storage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	realServer  = flag.String("postgres", "", "compare scripts with the PostgreSQL at this connection string")
	scriptCount = flag.Int("scripts", 100, "with -postgres: how many random scripts")
	scriptSeed  = flag.Uint64("seed", 1, "with -postgres: of the first random script")
)

// patience is how long a script waits after each step; deadlocks are found in half of that.
const patience = 120 * time.Millisecond

// play executes a script in the simulation: lines as "1: begin". The result has the answers after each line.
func play(t *testing.T, script []string) []string {
	w := newWorld(t)
	w.table("t", []string{"id", "v"})
	w.table("u", []string{"id", "k"}, "k")
	players := map[string]*player{}
	var out []string
	waiting := []*player{}
	for _, line := range script {
		who, text, _ := strings.Cut(line, ": ")
		p := players[who]
		if p == nil {
			p = w.player(who)
			p.DeadlockTimeout = patience / 2
			players[who] = p
		}
		if p.busy {
			out = append(out, line+": busy")
			continue
		}
		p.start(func() (string, error) { return p.execute(text) })
		if p.busy || len(waiting) > 0 {
			w.advance(patience)
		}
		out = append(out, line+": "+p.answer)
		waiting = slices.DeleteFunc(waiting, func(o *player) bool {
			if !o.busy {
				out = append(out, "\t"+o.name+": "+o.answer)
			}
			return !o.busy
		})
		if p.busy {
			waiting = append(waiting, p)
		}
	}
	for _, p := range w.all {
		p.Close(nil)
		if p.busy {
			p.stop()
		}
	}
	return out
}

// realSession is a session of a real server.
type realSession struct {
	name   string
	conn   *pgx.Conn
	answer string
	done   chan string // nil if it is not busy
}

// playReal executes a script on a real server.
func playReal(t *testing.T, script []string) []string {
	ctx := t.Context()
	connect := func() *pgx.Conn {
		c, err := pgx.Connect(ctx, *realServer)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	admin := connect()
	defer admin.Close(ctx)
	for _, text := range []string{"drop table if exists t, u", "create table t (id int primary key, v int)", "create table u (id int primary key, k int unique)"} {
		if _, err := admin.Exec(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	sessions := map[string]*realSession{}
	defer func() {
		for _, s := range sessions {
			if s.done != nil {
				_, _ = admin.Exec(ctx, "select pg_terminate_backend($1)", int32(s.conn.PgConn().PID()))
				<-s.done
			}
			s.conn.Close(ctx)
		}
	}()
	var out []string
	var waiting []*realSession
	for _, line := range script {
		who, text, _ := strings.Cut(line, ": ")
		s := sessions[who]
		if s == nil {
			s = &realSession{name: who, conn: connect()}
			_, _ = s.conn.Exec(ctx, fmt.Sprintf("set deadlock_timeout = '%dms'", patience.Milliseconds()/2))
			sessions[who] = s
		}
		if s.done != nil {
			out = append(out, line+": busy")
			continue
		}
		s.start(ctx, text)
		s.wait(patience)
		if len(waiting) > 0 && s.done == nil {
			time.Sleep(patience)
		}
		out = append(out, line+": "+s.answer)
		waiting = slices.DeleteFunc(waiting, func(o *realSession) bool {
			o.wait(time.Millisecond)
			if o.done == nil {
				out = append(out, "\t"+o.name+": "+o.answer)
			}
			return o.done == nil
		})
		if s.done != nil {
			waiting = append(waiting, s)
		}
	}
	return out
}

func (s *realSession) start(ctx context.Context, text string) {
	s.answer, s.done = "waits", make(chan string, 1)
	go func() { s.done <- s.execute(ctx, text) }()
}

// wait waits until the statement has ended.
func (s *realSession) wait(d time.Duration) {
	select {
	case s.answer = <-s.done:
		s.done = nil
	case <-time.After(d):
	}
}

func (s *realSession) execute(ctx context.Context, text string) string {
	r := s.conn.PgConn().Exec(ctx, text)
	results, err := r.ReadAll()
	if e, is := errors.AsType[*pgconn.PgError](err); is {
		text := e.Code + " " + e.Message
		if e.Detail != "" && e.Code == "23505" {
			text += ": " + e.Detail
		}
		return text
	}
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, row := range results[0].Rows {
		texts := make([]string, len(row))
		for i, v := range row {
			texts[i] = string(v)
		}
		list = append(list, strings.Join(texts, ","))
		if len(row) > 1 {
			list[len(list)-1] = "(" + list[len(list)-1] + ")"
		}
	}
	tag := results[0].CommandTag.String()
	if verb, rest, _ := strings.Cut(tag, " "); verb == "INSERT" || verb == "UPDATE" || verb == "DELETE" {
		return strings.TrimPrefix(rest, "0 ")
	}
	answer := strings.Join(list, " ")
	return map[string]string{"t": "true", "f": "false"}[answer] + strings.TrimSuffix(strings.TrimSuffix(answer, "t"), "f")
}

// TestReal compares random scripts with a real server.
func TestReal(t *testing.T) {
	if *realServer == "" {
		t.Skip("without -postgres")
	}
	differ := 0
	for i := range *scriptCount {
		seed := *scriptSeed + uint64(i)
		script := randomScript(rand.New(rand.NewPCG(seed, 0)))
		got := play(t, script)
		if testing.Verbose() {
			t.Logf("script %d:\n%s", seed, strings.Join(got, "\n"))
		}
		for try := 1; ; try++ {
			want := playReal(t, script)
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			if at == len(got) && at == len(want) {
				break
			}
			if try == 3 {
				differ++
				t.Errorf("script %d: simulated:\n%s\nreal:\n%s", seed, strings.Join(got[:min(at+2, len(got))], "\n"), strings.Join(want[max(at-1, 0):min(at+2, len(want))], "\n"))
				break
			}
		}
	}
	t.Logf("%d of %d scripts differ", differ, *scriptCount)
}

// randomScript returns a script of two or three sessions.
func randomScript(r *rand.Rand) []string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	id := func() string { return pick("1", "2") }
	where := func() string { return pick(" where id = 1", " where id = 1", " where id = 2", " where v = 10", "") }
	var script []string
	for _, s := range []string{"insert into t values (1, 10)", "insert into t values (2, 20)", "insert into u values (1, 1)"} {
		script = append(script, "1: "+s)
	}
	level := pick("", "", " isolation level repeatable read", " isolation level serializable")
	sessions := 2 + r.IntN(2)
	opened := make([]bool, sessions+1)
	for range 10 + r.IntN(12) {
		who := 1 + r.IntN(sessions)
		text := ""
		switch n := r.IntN(20); {
		case !opened[who] && n < 12:
			text = "begin" + level
			opened[who] = true
		case opened[who] && n < 3:
			text = pick("commit", "commit", "rollback")
			opened[who] = false
		case opened[who] && n == 3:
			text = pick("savepoint a", "rollback to a", "release a")
		case n < 8:
			text = "select * from t" + where() + pick("", " for update", " for update", " for no key update", " for share", " for key share") + "!"
			if strings.Contains(text, " for ") {
				text += pick("", "", " nowait", " skip locked")
			}
			text = strings.Replace(text, "!", "", 1)
		case n < 12:
			text = "update t set " + pick("v = v + 1", "v = v + 1", "v = 10", "id = 3") + where()
		case n == 12:
			text = "delete from t" + where()
		case n < 15:
			text = "insert into t values (" + id() + ", 30)" + pick("", "", " on conflict do nothing", " on conflict (id) do update set v = 40")
		case n == 15:
			text = "insert into u values (" + pick("1", "2", "3") + ", " + pick("1", "2", "3") + ")" + pick("", " on conflict do nothing", " on conflict (k) do update set k = 2", " on conflict (id) do nothing")
		case n == 16:
			text = pick("update u set k = k + 1", "delete from u where k = 1", "select * from u where k = 1 for update", "update u set k = 1 where k = 2")
		case n == 17 && opened[who]:
			text = "lock table t in " + pick("access share", "row exclusive", "share", "exclusive", "access exclusive", "share row exclusive") + " mode" + pick("", " nowait")
		case n == 18:
			text = pick("select pg_advisory_lock(1)", "select pg_advisory_xact_lock(1)", "select pg_try_advisory_lock(1)", "select pg_advisory_lock_shared(1)", "select pg_try_advisory_xact_lock_shared(1)")
		case n == 19:
			text = pick("select pg_advisory_unlock(1)", "select pg_advisory_unlock_shared(1)", "select pg_advisory_unlock_all()")
		default:
			continue
		}
		script = append(script, fmt.Sprintf("%d: %s", who, text))
	}
	return script
}
