package storage

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

func TestFirstUpdaterWins(t *testing.T) {
	_, a, b, _ := three(t)
	b.run("begin isolation level repeatable read", "")
	b.run("select * from t", "(1,10) (2,20)")
	a.run("update t set v = 11 where id = 1", "1")
	b.run("select * from t", "(1,10) (2,20)")
	b.run("update t set v = 12 where id = 1", "40001 could not serialize access due to concurrent update")
	b.run("rollback", "")
	b.run("begin isolation level repeatable read", "")
	b.run("select * from t", "(2,20) (1,11)")
	a.run("delete from t where id = 1", "1")
	b.run("delete from t where id = 1", "40001 could not serialize access due to concurrent delete")
	b.run("rollback", "")
	if len(b.db.tables[0].heap) != 1 {
		t.Errorf("%d versions are left", len(b.db.tables[0].heap))
	}
}

// Two transactions that each read what the other changes cannot both commit.
func TestWriteSkew(t *testing.T) {
	_, a, b, c := three(t)
	for _, p := range []*player{a, b} {
		p.run("begin isolation level serializable", "")
		p.run("select * from t", "(1,10) (2,20)")
	}
	a.run("update t set v = 0 where id = 1", "1")
	b.run("update t set v = 0 where id = 2", "1")
	a.run("commit", "")
	b.run("commit", "40001 could not serialize access due to read/write dependencies among transactions")
	c.run("select * from t", "(2,20) (1,0)")
	for _, s := range c.db.serials {
		t.Errorf("a serializable transaction is left: %+v", s)
	}
}

// A row that another transaction has inserted and not committed is waited for.
func TestUniqueWaits(t *testing.T) {
	w, a, b, c := three(t)
	a.run("begin", "")
	a.run("insert into t values (3, 30)", "1")
	b.run("insert into t values (3, 31)", "waits")
	c.run("insert into t values (3, 32) on conflict (id) do update set v = 33", "waits")
	a.run("rollback", "")
	b.ends("1")
	c.ends("1")
	w.observed("a has row t [3]", "a gave row t [3]", "created: t [3] (3 31) by b, committed by b",
		"changed: t [3] (3 33) by c after b, committed by c")
}

// A speculative insertion that waits for another index is waited for itself, and taken back if another was faster.
func TestSpeculative(t *testing.T) {
	w := newWorld(t)
	u := w.table("u", []string{"id", "k"}, "k")
	a, b, c := w.player("a"), w.player("b"), w.player("c")
	a.run("begin", "")
	a.run("insert into u values (1, 1)", "1")
	b.run("insert into u values (1, 2) on conflict (k) do nothing", "waits") // for a, by the primary key
	c.run("insert into u values (2, 2) on conflict (k) do nothing", "1")     // k was not entered yet
	a.run("rollback", "")
	b.ends("0")
	if len(u.heap) != 1 || len(u.Indexes[0].entries) != 1 || len(w.db.locks) != 0 {
		t.Errorf("left: %d rows, %d entries, %d locks", len(u.heap), len(u.Indexes[0].entries), len(w.db.locks))
	}
}

func TestSavepoints(t *testing.T) {
	w, a, b, _ := three(t)
	a.run("begin", "")
	a.run("update t set v = 11 where id = 1", "1")
	a.run("savepoint s", "")
	a.run("update t set v = 12 where id = 1", "1")
	a.run("insert into t values (3, 30)", "1")
	a.run("savepoint s", "")
	a.run("delete from t where id = 2", "1")
	a.run("rollback to s", "")
	a.run("select * from t", "(2,20) (1,12) (3,30)")
	a.run("release s", "")
	a.run("rollback to s", "")
	a.run("select * from t", "(2,20) (1,11)")
	a.run("rollback to x", `3B001 savepoint "x" does not exist`)
	a.run("rollback to s", "")
	w.log = nil
	a.run("commit", "")
	w.observed("changed: t [1] (1 11) by a after a, committed by a", "a gave row t [1]")
	b.run("select * from t", "(2,20) (1,11)")
}

// A commit that waits for a replica is not seen, keeps its locks, and is completed even if the wait is cancelled.
func TestShip(t *testing.T) {
	w, a, b, _ := three(t)
	w.ships = func(*Backend, *Changes) bool { return true }
	a.run("update t set v = 11 where id = 1", "waits")
	b.run("select * from t where id = 1", "(1,10)")
	b.run("select * from t where id = 1 for update nowait", `55P03 could not obtain lock on row in relation "t"`)
	if kind, event, _ := a.Waiting(); kind != "IPC" || event != "SyncRep" {
		t.Errorf("a waits for %s %s", kind, event)
	}
	a.Interrupt(pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request"))
	w.db.Settle()
	a.ends("1")
	if len(a.notes) != 1 || a.notes[0] != "canceling wait for synchronous replication due to user request" {
		t.Errorf("notes %q", a.notes)
	}
	b.run("select * from t where id = 1", "(1,11)")
	a.run("update t set v = 12 where id = 1", "waits")
	a.Wake()
	w.db.Settle()
	a.ends("1")
}

func TestCrash(t *testing.T) {
	w, a, b, c := three(t)
	a.run("begin", "")
	a.run("update t set v = 11 where id = 1", "1")
	a.run("select pg_advisory_lock(1)", "")
	b.run("update t set v = 12 where id = 1", "waits")
	w.ships = func(*Backend, *Changes) bool { return true }
	c.run("update t set v = 22 where id = 2", "waits")
	w.log = nil
	w.db.Crash(&Ending{Kind: model.RecordDropped})
	w.observed("a gave row t [1] dropped", "a gave key 1 dropped", "c gave row t [2] dropped")
	w.ships = nil
	w.db.Recover()
	w.observed("changed: t [2] (2 22) by c after a, committed by c")
	d := w.player("d")
	d.run("select * from t", "(1,10) (2,22)")
	d.run("update t set v = 0", "2")
	b.stop()
	c.stop()
	if len(w.db.locks) != 0 || len(w.db.held) != 0 {
		t.Errorf("left: %d locks, %d observed", len(w.db.locks), len(w.db.held))
	}
}

// A crash loses the commits that were not flushed.
func TestAsync(t *testing.T) {
	w, a, b, _ := three(t)
	async := func(p *player, statement string) {
		p.run("begin", "")
		p.run(statement, "1")
		p.start(func() (string, error) { return "", p.CommitAsync() })
	}
	async(a, "update t set v = 11 where id = 1")
	w.db.Flush()
	async(a, "update t set v = 12 where id = 1")
	async(b, "delete from t where id = 2")
	async(b, "insert into t values (3, 30)")
	b.run("select * from t", "(1,12) (3,30)")
	w.log = nil
	w.db.Crash(&Ending{})
	w.observed("dropped: t [1] (1 12) by a, committed by ", "dropped: t [3] (3 30) by b, committed by ",
		"created: t [2] (2 20) by a, committed by a", "created: t [1] (1 11) by a, committed by a")
	w.player("c").run("select * from t", "(2,20) (1,11)")
}

// newSequence makes a sequence from 1.
func newSequence(p *player) *Sequence {
	s := &Sequence{Schema: "public", Name: "s", Start: 1, Increment: 1, Min: 1, Max: 1000}
	p.start(func() (string, error) {
		p.Begin(Characteristics{})
		if err := p.CreateSequence(s); err != nil {
			return "", err
		}
		return "", p.Commit()
	})
	return s
}

// newTable makes a table without rows.
func newTable(p *player, name string) {
	p.start(func() (string, error) {
		p.Begin(Characteristics{})
		if err := p.CreateTable(&Table{Schema: "public", Name: name}); err != nil {
			return "", err
		}
		return "", p.Commit()
	})
}

// take gets numbers from a sequence, the last of which it returns.
func (p *player) take(s *Sequence, count int, commit bool) (last int64) {
	p.start(func() (string, error) {
		p.Begin(Characteristics{})
		for range count {
			last, _ = p.NextValue(s)
		}
		if commit {
			return "", p.Commit()
		}
		p.Abort(nil)
		return "", nil
	})
	return last
}

// The numbers of a sequence are not taken back. After a crash it goes on behind those that were logged, 32 ahead.
func TestSequence(t *testing.T) {
	w := newWorld(t)
	r := newWorld(t)
	w.ships = func(_ *Backend, c *Changes) bool {
		r.db.Replicate(c)
		return false
	}
	a := w.player("a")
	s := newSequence(a)
	if n := a.take(s, 3, false); n != 3 {
		t.Errorf("got %d", n)
	}
	if n := a.take(s, 1, true); n != 4 { // which logs nothing
		t.Errorf("after a rollback got %d", n)
	}
	newTable(a, "x") // replicas get what a rollback has logged with the next commit
	b := r.player("b")
	if n := b.take(b.LookupSequence("public", "s"), 1, true); n != 34 {
		t.Errorf("at the replica got %d", n)
	}
	if _, err := a.CurrentValue(s); err != nil {
		t.Error(err)
	}
	w.db.Crash(nil)
	if n := w.player("c").take(s, 1, true); n != 34 {
		t.Errorf("after the crash got %d", n)
	}
}

// A table that is created in a transaction is seen by nobody else; a second one of its name waits.
func TestCreateTable(t *testing.T) {
	w := newWorld(t)
	a, b := w.player("a"), w.player("b")
	a.run("begin", "")
	b.run("begin", "")
	create := func(p *player) string {
		return p.start(func() (string, error) {
			return "", p.CreateTable(&Table{Schema: "public", Name: "x", Columns: []*Column{{Name: "id", Type: types.Int4OID}}})
		})
	}
	if got := create(a); got != "" {
		t.Error(got)
	}
	if b.Lookup("public", "x") != nil || a.Lookup("public", "x") == nil {
		t.Error("a table is seen by another than who creates it")
	}
	if got := create(b); got != "waits" {
		t.Error(got)
	}
	a.run("commit", "")
	b.ends(`23505 duplicate key value violates unique constraint "pg_type_typname_nsp_index": Key (typname, typnamespace)=(x, 2200) already exists.`)
}

// A replica has the commits that it received, and goes on with them when the source's own are lost.
func TestReplicate(t *testing.T) {
	w, a, b, _ := three(t)
	r := newWorld(t)
	r.db.Load(w.db.Copy())
	r.observed("created: t [1] (1 10) by a, committed by a", "created: t [2] (2 20) by a, committed by a")
	var log []*Changes
	w.ships = func(_ *Backend, c *Changes) bool {
		log = append(log, c)
		return false
	}
	a.run("begin", "")
	a.run("update t set v = 11 where id = 1", "1")
	a.run("update t set v = 12 where id = 1", "1")
	a.run("insert into t values (3, 30)", "1")
	a.run("commit", "")
	b.run("delete from t where id = 2", "1")
	reader := r.player("reader")
	reader.run("begin isolation level repeatable read", "")
	reader.run("select * from t", "(1,10) (2,20)")
	for _, c := range log {
		r.db.Replicate(c)
	}
	r.observed("changed: t [1] (1 12) by a after a, committed by a", "created: t [3] (3 30) by a, committed by a",
		"deleted: t [2] (2 20) by a, committed by b")
	reader.run("select * from t where id = 1", "(1,10)")
	reader.run("commit", "")
	reader.run("select * from t", "(1,12) (3,30)")
	reader.run("insert into t values (3, 0) on conflict (id) do update set v = 31", "1")
	reader.run("insert into t values (4, 40)", "1")
	r.log = nil
	a.run("update t set v = 13 where id = 1", "1")
	reader.Close(nil)
	w.log = nil
	for _, p := range slices.Clone(w.all) {
		p.Close(nil)
	}
	w.db.Load(r.db.Copy())
	w.observed("dropped: t [3] (3 30) by a, committed by ", "dropped: t [1] (1 13) by a, committed by ",
		"created: t [1] (1 12) by a, committed by a", "created: t [3] (3 31) by reader, committed by reader",
		"created: t [4] (4 40) by reader, committed by reader")
}

// Definitions reach replicas, with the rows as an ALTER TABLE has made them, and are undone by a rollback.
func TestAlter(t *testing.T) {
	w, a, _, _ := three(t)
	r := newWorld(t)
	r.db.Load(w.db.Copy())
	w.ships = func(_ *Backend, c *Changes) bool {
		r.db.Replicate(c)
		return false
	}
	tab := w.db.tables[0]
	for _, commit := range []bool{false, true} {
		a.start(func() (string, error) {
			a.Begin(Characteristics{})
			err := a.AlterTable(tab, func() {
				tab.Columns[1].Name = "w"
				tab.Columns = append(tab.Columns, &Column{Name: "x", Type: types.Int4OID})
			}, func(row []types.Value) ([]types.Value, error) { return append(slices.Clone(row), int64(5)), nil })
			if err == nil && commit {
				return "", a.Commit()
			}
			a.Abort(nil)
			return "", err
		})
		for _, db := range []*Database{w.db, r.db} {
			got := db.tables[0]
			if commit != (len(got.Columns) == 3 && got.Columns[1].Name == "w" && len(got.heap[1].Row) == 3 && len(got.Indexes[0].entries) == 2) {
				t.Errorf("committed %v, and %d columns, %q, %v", commit, len(got.Columns), got.Columns[1].Name, got.heap[1].Row)
			}
		}
	}
	a.start(func() (string, error) {
		a.Begin(Characteristics{})
		a.Truncate(tab)
		return "", a.Commit()
	})
	for _, db := range []*Database{w.db, r.db} {
		if len(db.tables[0].heap) != 0 || len(db.tables[0].Indexes[0].entries) != 0 {
			t.Error("rows are left")
		}
	}
	a.start(func() (string, error) {
		a.Begin(Characteristics{})
		a.DropTable(tab)
		return "", a.Commit()
	})
	if len(w.db.tables)+len(r.db.tables) != 0 {
		t.Error("a table is left")
	}
}
