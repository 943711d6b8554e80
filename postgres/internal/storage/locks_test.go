package storage

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// three returns a world with a table t of rows 1 and 2, and three sessions.
func three(t *testing.T) (w *world, a, b, c *player) {
	w = newWorld(t)
	w.table("t", []string{"id", "v"})
	a, b, c = w.player("a"), w.player("b"), w.player("c")
	a.run("insert into t values (1, 10)", "1")
	a.run("insert into t values (2, 20)", "1")
	w.log = nil
	return w, a, b, c
}

// Those who wait for a row get it one after the other, and see what the one before has made of it.
func TestQueueForRow(t *testing.T) {
	w, a, b, c := three(t)
	a.run("begin", "")
	a.run("update t set v = v + 1 where id = 1", "1")
	b.run("begin", "")
	b.run("update t set v = v + 1 where id = 1", "waits")
	c.run("select * from t where id = 1 for update skip locked", "")
	c.run("select * from t where id = 1 for share nowait", `55P03 could not obtain lock on row in relation "t"`)
	c.run("select * from t where id = 1 for update", "waits")
	if kind, event, _ := c.Waiting(); kind != "Lock" || event != "tuple" {
		t.Errorf("c waits for %s %s", kind, event)
	}
	if by := c.BlockedBy(); len(by) != 1 || by[0] != b.PID() {
		t.Errorf("c is blocked by %v", by)
	}
	a.run("commit", "")
	b.ends("1")
	c.ends("waits")
	b.run("commit", "")
	c.ends("(1,12)")
	w.observed(
		"a has row t [1]",
		"changed: t [1] (1 11) by a after a, committed by a", "a gave row t [1]",
		"b has row t [1]",
		"changed: t [1] (1 12) by b after a, committed by b", "b gave row t [1]",
	)
}

// A lock that was got after a savepoint is given up with it, and one from before is kept.
func TestSavepointLocks(t *testing.T) {
	w, a, b, _ := three(t)
	a.run("begin", "")
	a.run("select * from t where id = 1 for share", "(1,10)")
	a.run("savepoint s", "")
	a.run("select * from t where id = 1 for update", "(1,10)")
	a.run("update t set v = 21 where id = 2", "1")
	b.run("select * from t where id = 2 for update", "waits")
	a.run("rollback to s", "")
	b.ends("(2,20)")
	b.run("select * from t where id = 1 for share nowait", "(1,10)")
	b.run("update t set v = 11 where id = 1", "waits")
	a.run("commit", "")
	b.ends("1")
	w.observed("a has row t [1]", "a has row t [2]", "a gave row t [1]", "a gave row t [2]",
		"changed: t [1] (1 11) by b after a, committed by b")
}

// An error gives up what was locked since the savepoint at once, and not only when the client returns to it.
func TestFailReleases(t *testing.T) {
	_, a, b, _ := three(t)
	a.run("begin", "")
	a.run("savepoint s", "")
	a.run("update t set v = 11 where id = 1", "1")
	b.run("update t set v = 12 where id = 1", "waits")
	a.run("insert into t values (2, 0)", `23505 duplicate key value violates unique constraint "t_pkey": Key (id)=(2) already exists.`)
	b.ends("1")
	a.run("select * from t", "25P02 current transaction is aborted, commands ignored until end of transaction block")
	a.run("rollback to s", "")
	a.run("select * from t where id = 1", "(1,12)")
}

// Of a circle, the one whose check finds it fails: the first whose wait has lasted for the deadlock timeout.
func TestDeadlockVictim(t *testing.T) {
	w, a, b, _ := three(t)
	a.run("begin", "")
	b.run("begin", "")
	a.run("update t set v = 11 where id = 1", "1")
	b.run("update t set v = 21 where id = 2", "1")
	a.run("update t set v = 22 where id = 2", "waits")
	w.advance(600 * time.Millisecond)
	b.run("update t set v = 12 where id = 1", "waits")
	w.advance(399 * time.Millisecond)
	b.ends("waits")
	w.advance(time.Millisecond)
	a.ends("40P01 deadlock detected")
	b.ends("1")
	w.observed("a has row t [1]", "b has row t [2]", "deadlock of a b", "a gave row t [1]", "b has row t [1]")
	b.run("commit", "")
}

func TestDeadlockDetail(t *testing.T) {
	w, a, b, _ := three(t)
	a.run("begin", "")
	b.run("begin", "")
	a.run("select pg_advisory_xact_lock(1)", "")
	b.run("update t set v = 11 where id = 1", "1")
	var got error
	b.start(func() (string, error) {
		_, got = b.AdvisoryLock(Key64(1), true, true, false)
		return "", got
	})
	a.run("update t set v = 11 where id = 1", "waits")
	w.advance(time.Second)
	b.ends("40P01 deadlock detected")
	e := pgerror.From(got)
	const want = "Process 102 waits for ExclusiveLock on advisory lock [5,0,1,1]; blocked by process 101.\n" +
		"Process 101 waits for ShareLock on transaction 735; blocked by process 102."
	if e.Detail != want || e.Hint != "See server log for query details." {
		t.Errorf("detail %s\nhint %s", e.Detail, e.Hint)
	}
	a.ends("waits")
	b.run("rollback", "")
	a.ends("1")
}

// A soft circle is resolved by another order of a queue.
func TestSoftDeadlock(t *testing.T) {
	w, a, b, c := three(t)
	d := w.player("d")
	for _, p := range []*player{a, b, c, d} {
		p.run("begin", "")
	}
	a.run("lock table t in access share mode", "")
	a.run("select pg_advisory_xact_lock(1)", "")
	b.run("lock table t in access exclusive mode", "waits")
	c.run("select pg_advisory_xact_lock(2)", "")
	c.run("lock table t in access share mode", "waits")
	a.run("select pg_advisory_xact_lock(2)", "waits")
	w.advance(2 * time.Second)
	// c waits only behind b, and a for c: c goes before b.
	c.ends("")
	a.ends("waits")
	c.run("commit", "")
	a.ends("")
	a.run("commit", "")
	b.ends("")
}

func TestLockTimeout(t *testing.T) {
	w, a, b, _ := three(t)
	a.run("begin", "")
	a.run("select * from t where id = 1 for update", "(1,10)")
	b.run("set lock_timeout = '100ms'", "")
	b.run("select * from t where id = 1 for update", "waits")
	w.advance(100 * time.Millisecond)
	b.ends("55P03 canceling statement due to lock timeout")
	b.run("select * from t where id = 1 for update", "waits")
	b.Interrupt(pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request"))
	w.db.Settle()
	b.ends("57014 canceling statement due to user request")
	if len(w.db.locks) != 2 { // the table and the transaction of a
		t.Errorf("%d locks are left", len(w.db.locks))
	}
}

// The session's advisory locks are counted, survive a rollback, and add up with the transaction's.
func TestAdvisory(t *testing.T) {
	w, a, b, _ := three(t)
	a.run("begin", "")
	a.run("select pg_advisory_lock(7)", "")
	a.run("select pg_advisory_lock(7)", "")
	a.run("select pg_advisory_xact_lock(7)", "")
	a.run("rollback", "")
	b.run("select pg_try_advisory_lock(7)", "false")
	b.run("select pg_try_advisory_lock_shared(7)", "false")
	a.run("select pg_advisory_unlock(7)", "true")
	b.run("select pg_advisory_lock_shared(7)", "waits")
	a.run("select pg_advisory_unlock(7)", "true")
	b.ends("")
	a.run("select pg_advisory_unlock(7)", "false")
	if len(a.notes) != 1 || a.notes[0] != "you don't own a lock of type ExclusiveLock" {
		t.Errorf("notes %q", a.notes)
	}
	a.run("begin", "")
	a.run("select pg_advisory_xact_lock(8)", "")
	a.run("select pg_advisory_unlock(8)", "false")
	a.run("commit", "")
	w.observed("a has key 7", "a gave key 7", "a has key 8", "a gave key 8")
}

// A request does not pass those who wait before it, but a try does not queue.
func TestAdvisoryQueue(t *testing.T) {
	_, a, b, c := three(t)
	a.run("select pg_advisory_lock_shared(1)", "")
	b.run("select pg_advisory_lock(1)", "waits")
	c.run("select pg_try_advisory_lock_shared(1)", "false")
	c.run("select pg_advisory_lock_shared(1)", "waits")
	a.run("select pg_advisory_unlock_shared(1)", "true")
	b.ends("")
	c.ends("waits")
	b.Close(&Ending{Kind: model.RecordExpired})
	b.db.Settle()
	c.ends("")
}

// A lock that was granted stays, even if the statement that waited for it is cancelled in the same event.
func TestCancelAfterGrant(t *testing.T) {
	w, a, b, c := three(t)
	a.run("select pg_advisory_lock(1)", "")
	b.run("select pg_advisory_lock(1)", "waits")
	a.AdvisoryUnlock(Key64(1), true)
	b.Interrupt(pgerror.New(pgerror.QueryCanceled, "canceling statement due to user request"))
	w.db.Settle()
	b.ends("57014 canceling statement due to user request")
	c.run("select pg_try_advisory_lock(1)", "false")
}

func TestExplicitTableLock(t *testing.T) {
	w, a, b, _ := three(t)
	a.run("begin", "")
	a.run("lock table t in share mode", "")
	a.run("savepoint s", "")
	a.run("lock table t in exclusive mode", "")
	b.run("update t set v = 1", "waits")
	w.observed("a has table t")
	a.run("rollback to s", "")
	w.observed("a gave table t")
	b.ends("waits")
	a.run("commit", "")
	b.ends("2")
}

// A backend that is doomed by a fault fails at its next request.
func TestDoomed(t *testing.T) {
	w, a, b, _ := three(t)
	a.Deadlock()
	a.run("begin", "")
	a.run("select * from t", "40P01 deadlock detected")
	a.run("rollback", "")
	a.run("select pg_advisory_lock(1)", "")
	b.run("select pg_advisory_lock(1)", "waits")
	b.Deadlock()
	w.db.Settle()
	b.ends("40P01 deadlock detected")
}

// CREATE INDEX CONCURRENTLY waits for statements that wait, and so is in a circle with one that waits for its session.
func TestWaitForSnapshots(t *testing.T) {
	w, a, b, c := three(t)
	a.run("select pg_advisory_lock(99)", "")
	c.run("begin", "")
	c.run("select * from t", "(1,10) (2,20)") // which has no snapshot any more
	b.run("select pg_advisory_lock(99)", "waits")
	w.advance(2 * time.Second)
	var got error
	a.start(func() (string, error) {
		a.Begin(Characteristics{})
		got = a.WaitForSnapshots()
		return "", got
	})
	w.advance(time.Second)
	a.ends("40P01 deadlock detected")
	const want = "Process 101 waits for ShareLock on virtual transaction 5/1; blocked by process 102.\n" +
		"Process 102 waits for ExclusiveLock on advisory lock [5,0,99,1]; blocked by process 101."
	if d := pgerror.From(got).Detail; d != want {
		t.Error(d)
	}
	a.Abort(nil)
	a.run("begin", "")
	if got := a.start(func() (string, error) { return "", a.WaitForLockers(a.db.tables[0], ShareLock) }); got != "" {
		t.Error(got)
	}
	c.run("update t set v = 11 where id = 1", "1")
	if got := a.start(func() (string, error) { return "", a.WaitForLockers(a.db.tables[0], ShareLock) }); got != "waits" {
		t.Error(got)
	}
	if _, event, _ := a.Waiting(); event != "virtualxid" {
		t.Error(event)
	}
	c.run("commit", "")
	a.ends("")
	a.run("commit", "")
	a.Close(nil)
	b.db.Settle()
	b.ends("")
}
