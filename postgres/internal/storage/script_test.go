package storage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	realServer  = flag.String("postgres", "", "compare scripts with the PostgreSQL at this connection string")
	scriptCount = flag.Int("scripts", 100, "with -postgres: how many random scripts")
	scriptLevel = flag.String("level", "", "with -postgres: the isolation level of random scripts")
	scriptSeed  = flag.Uint64("seed", 1, "with -postgres: of the first random script")
)

// patience is how long a script waits after each step; deadlocks are found in half of that.
const patience = 120 * time.Millisecond

// stage plays a script in the simulation.
type stage struct {
	*world
	players map[string]*player
	waiting []*player
	out     []string // the answers after each line
}

func newStage(t *testing.T) *stage {
	w := newWorld(t)
	w.table("t", []string{"id", "v"})
	w.table("u", []string{"id", "k"}, "k")
	return &stage{world: w, players: map[string]*player{}}
}

// session returns a session by its name.
func (s *stage) session(who string) *player {
	if s.players[who] == nil {
		s.players[who] = s.player(who)
		s.players[who].DeadlockTimeout = patience / 2
	}
	return s.players[who]
}

// play executes a line, as "1: begin".
func (s *stage) play(line string) {
	who, text, _ := strings.Cut(line, ": ")
	p := s.session(who)
	if p.busy {
		s.out = append(s.out, line+": busy")
		return
	}
	p.start(func() (string, error) { return p.execute(text) })
	if p.busy || len(s.waiting) > 0 {
		s.advance(patience)
	}
	s.out = append(s.out, line+": "+p.answer)
	s.waiting = slices.DeleteFunc(s.waiting, func(o *player) bool {
		if !o.busy {
			s.out = append(s.out, "\t"+o.name+": "+o.answer)
		}
		return !o.busy
	})
	if p.busy {
		s.waiting = append(s.waiting, p)
	}
}

// end ends all sessions.
func (s *stage) end() {
	for _, p := range s.all {
		p.Close(nil)
		if p.busy {
			p.stop()
		}
	}
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

// TestRandom plays random scripts twice, with the same answers and observations, and looks what they leave behind.
func TestRandom(t *testing.T) {
	for seed := range uint64(300) {
		script, answers := randomScript(t, rand.New(rand.NewPCG(seed, 1)))
		s := newStage(t)
		for _, line := range script {
			s.play(line)
		}
		if !slices.Equal(answers, s.out) {
			t.Fatalf("script %d: first\n%s\nthen\n%s", seed, strings.Join(answers, "\n"), strings.Join(s.out, "\n"))
		}
		s.end()
		db := s.db
		if len(db.locks) > 0 || len(db.held) > 0 || len(db.serials) > 0 || len(db.deads) > 0 || len(db.backends) > 0 {
			t.Errorf("script %d leaves %d locks, %d observed, %d serializable, %d versions", seed, len(db.locks), len(db.held), len(db.serials), len(db.deads))
		}
		has := map[string]int{}
		for _, line := range s.log {
			if i := strings.Index(line, " has "); i > 0 {
				has[line[i+5:]]++
			} else if i := strings.Index(line, " gave "); i > 0 {
				has[line[i+6:]]--
			}
			for place, n := range has { // unordered: any is an error
				if n < 0 || n > 1 {
					t.Fatalf("script %d: %d have %s at %q", seed, n, place, line)
				}
			}
		}
		for _, tab := range db.tables {
			for _, n := range tab.heap {
				if !db.committed().Shows(n) {
					t.Errorf("script %d leaves the version %v", seed, n.Row)
				}
			}
			for _, ix := range tab.Indexes {
				if len(ix.entries) != len(tab.heap) {
					t.Errorf("script %d leaves %d entries for %d rows", seed, len(ix.entries), len(tab.heap))
				}
			}
		}
	}
}

// TestReal compares random scripts with a real server.
func TestReal(t *testing.T) {
	if *realServer == "" {
		t.Skip("without -postgres")
	}
	differ := 0
	for i := range *scriptCount {
		seed := *scriptSeed + uint64(i)
		script, got := randomScript(t, rand.New(rand.NewPCG(seed, 0)))
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

// randomScript plays a script of some sessions, and returns it with the answers.
func randomScript(t *testing.T, r *rand.Rand) (script, answers []string) {
	s := newStage(t)
	defer s.end()
	play := func(who int, text string) {
		line := fmt.Sprintf("%d: %s", who, text)
		script = append(script, line)
		s.play(line)
	}
	for _, text := range []string{"insert into t values (1, 10)", "insert into t values (2, 20)", "insert into t values (3, 30)", "insert into u values (1, 1)"} {
		play(1, text)
	}
	level := []string{"", "", " isolation level repeatable read", " isolation level serializable"}[r.IntN(4)]
	if *scriptLevel != "" {
		level = " isolation level " + *scriptLevel
	}
	sessions := 2 + r.IntN(3)
	skew := strings.HasSuffix(level, "serializable") && r.IntN(3) > 0
	for range 14 + r.IntN(16) {
		who := 1 + r.IntN(sessions)
		p := s.session(strconv.Itoa(who))
		if p.busy {
			continue
		}
		if skew {
			play(who, skewStatement(r, p, who))
			continue
		}
		play(who, randomStatement(r, p, level))
	}
	return script, s.out
}

// randomStatement returns a statement of a session.
func randomStatement(r *rand.Rand, p *player, level string) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	where := func() string {
		return pick(" where id = 1", " where id = 1", " where id = 1", " where id = 2", " where v = 10", "")
	}
	if p.txn != nil && p.txn.failed {
		return pick("rollback", "rollback to a", "commit")
	}
	n := r.IntN(22)
	if strings.HasSuffix(level, "serializable") && n >= 4 {
		n = 8 + r.IntN(10) // reads and writes
		if p.txn == nil {
			n = r.IntN(14)
		}
	}
	switch {
	case p.txn == nil && n < 14:
		return "begin" + level
	case p.txn != nil && n < 2:
		return pick("commit", "commit", "rollback")
	case p.txn != nil && n < 4:
		if len(p.txn.stack) == 1 {
			return "savepoint a"
		}
		return pick("savepoint a", "rollback to a", "rollback to a", "release a")
	case n < 10:
		if strings.HasSuffix(level, "serializable") && r.IntN(3) > 0 {
			return pick("select * from t"+where(), "select * from u", "select * from u where k = 1", "select * from u where id = 2")
		}
		text := "select * from t" + where() + pick("", " for update", " for update", " for no key update", " for share", " for key share")
		if strings.Contains(text, " for ") {
			text += pick("", "", "", " nowait", " skip locked")
		}
		return text
	case n < 13:
		return "update t set " + pick("v = v + 1", "v = v + 1", "v = 10", "id = "+pick("1", "2", "3")) + where()
	case n == 13:
		return "delete from t" + where()
	case n < 16:
		return "insert into t values (" + pick("1", "2", "3") + ", 30)" + pick("", " on conflict do nothing", " on conflict (id) do update set v = 40")
	case n == 16:
		return "insert into u values (" + pick("1", "2", "3") + ", " + pick("1", "2", "3") + ")" + pick("", " on conflict do nothing", " on conflict (k) do update set k = 2", " on conflict (id) do nothing")
	case n == 17:
		return pick("update u set k = k + 1", "delete from u where k = 1", "select * from u where k = 1 for update", "update u set k = 1 where k = 2")
	case n == 18 && p.txn != nil:
		return "lock table t in " + pick("access share", "row exclusive", "share", "exclusive", "access exclusive", "share row exclusive") + " mode" + pick("", " nowait")
	case n < 20:
		return pick("select pg_advisory_lock(1)", "select pg_advisory_xact_lock(1)", "select pg_try_advisory_lock(1)", "select pg_advisory_lock_shared(1)", "select pg_try_advisory_xact_lock_shared(1)")
	case n == 20:
		return pick("select pg_advisory_unlock(1)", "select pg_advisory_unlock_shared(1)", "select pg_advisory_unlock_all()")
	}
	if p.txn != nil { // a rollback would take it back
		return "select * from t"
	}
	return pick("set lock_timeout = '0ms'", "set lock_timeout = '40ms'")
}

// skewStatement returns a statement of a session that changes rows of its own, and reads those of others.
func skewStatement(r *rand.Rand, p *player, who int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	switch n := r.IntN(12); {
	case p.txn == nil:
		return "begin isolation level serializable" + pick("", "", "", " read only")
	case p.txn.failed:
		return "rollback"
	case n < 2:
		return "commit"
	case n < 7 || p.txn.ReadOnly:
		return pick("select * from t", "select * from u", "select * from t where v = 10", "select * from u where k = 1",
			fmt.Sprintf("select * from t where id = %d", 1+r.IntN(4)), fmt.Sprintf("select * from t where id = %d", 1+r.IntN(4)))
	case n == 7:
		return fmt.Sprintf("insert into t values (%d, 10)", 10*who+r.IntN(10))
	case n == 8:
		return fmt.Sprintf("insert into u values (%d, %d)", 10*who+r.IntN(10), 10*who+r.IntN(10))
	case n == 9:
		return fmt.Sprintf("delete from t where id = %d", who)
	}
	return fmt.Sprintf("update t set v = v + 1 where id = %d", who)
}
