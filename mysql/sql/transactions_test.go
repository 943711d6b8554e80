package sql

import (
	"slices"
	"strings"
	"testing"
)

// TestTransactions plays scripts of clients a, b and c on a table with the rows 10, 20 and 30.
func TestTransactions(t *testing.T) {
	for _, test := range []struct {
		name    string
		dialect *Dialect
		script  string
	}{
		{"a row is waited for until the commit", backticks, `
			a BEGIN => a 0
			a UPDATE t SET v = 1 WHERE id = 10 => a 1
			b UPDATE t SET v = v + 1 WHERE id = 10 => b waits
			c SELECT v FROM t WHERE id = 10 => c [[0]]
			a COMMIT => a 0; b 1
			c SELECT v FROM t WHERE id = 10 => c [[2]]`},
		{"the wait for a row ends after a time, and takes back the statement alone", backticks, `
			a BEGIN => a 0
			a DELETE FROM t WHERE id = 30 => a 1
			b BEGIN => b 0
			b UPDATE t SET v = 5 WHERE id = 10 => b 1
			b UPDATE t SET v = 5 WHERE id >= 20 => b waits
			10s => b the lock was not to be had in time
			b COMMIT => b 0
			c SELECT id, v FROM t WHERE v = 5 => c [[10 5]]`},
		{"a rollback takes everything back", backticks, `
			a BEGIN => a 0
			a INSERT INTO t VALUES (40, 4), (50, 5) => a 2
			a UPDATE t SET v = 9 => a 5
			a DELETE FROM t WHERE id = 10 => a 1
			a ROLLBACK => a 0
			a SELECT * FROM t => a [[10 0] [20 0] [30 0]]`},
		{"a rollback to a savepoint keeps what was before it, and the locks", backticks, `
			a BEGIN => a 0
			a UPDATE t SET v = 1 WHERE id = 10 => a 1
			a SAVEPOINT p => a 0
			a UPDATE t SET v = 1 WHERE id = 20 => a 1
			a ROLLBACK TO p => a 0
			b SELECT v FROM t WHERE id = 20 FOR UPDATE NOWAIT => b the lock was not to be had at once
			a COMMIT => a 0
			b SELECT id, v FROM t => b [[10 1] [20 0] [30 0]]`},
		{"a lock on a gap keeps insertions out, and other locks on it not", backticks, `
			a BEGIN => a 0
			a SELECT id FROM t WHERE id = 15 FOR UPDATE => a []
			b BEGIN => b 0
			b SELECT id FROM t WHERE id = 15 FOR UPDATE => b []
			b ROLLBACK => b 0
			c INSERT INTO t VALUES (25, 0) => c 1
			c INSERT INTO t VALUES (12, 0) => c waits
			a ROLLBACK => a 0; c 1`},
		{"a range locks the gaps in it and behind it", backticks, `
			a BEGIN => a 0
			a UPDATE t SET v = 1 WHERE id > 20 => a 1
			b INSERT INTO t VALUES (5, 0) => b 1
			b INSERT INTO t VALUES (99, 0) => b waits
			a COMMIT => a 0; b 1`},
		{"an isolation level without locks on gaps", quotes, `
			a BEGIN => a 0
			a UPDATE t SET v = 1 WHERE id > 20 => a 1
			b INSERT INTO t VALUES (99, 0) => b 1
			a SELECT id FROM t WHERE id > 20 => a [[30] [99]]`},
		{"the victim of a deadlock is the one with the fewest changes", backticks, `
			a BEGIN => a 0
			a UPDATE t SET v = 1 WHERE id = 10 => a 1
			a INSERT INTO t VALUES (11, 0), (12, 0) => a 2
			b BEGIN => b 0
			b UPDATE t SET v = 2 WHERE id = 20 => b 1
			b UPDATE t SET v = 2 WHERE id = 10 => b waits
			a UPDATE t SET v = 1 WHERE id = 20 => a waits; b the wait for the lock is a deadlock; a 1
			b COMMIT => b 0
			a COMMIT => a 0
			c SELECT v FROM t WHERE id <= 20 => c [[1] [0] [0] [1]]`},
		{"of equals the victim is the one that closes the circle", backticks, `
			a BEGIN => a 0
			a UPDATE t SET v = 1 WHERE id = 10 => a 1
			b BEGIN => b 0
			b UPDATE t SET v = 2 WHERE id = 20 => b 1
			b UPDATE t SET v = 2 WHERE id = 10 => b waits
			a UPDATE t SET v = 1 WHERE id = 20 => a waits; a the wait for the lock is a deadlock; b 1`},
		{"rows that are locked are passed over", backticks, `
			a BEGIN => a 0
			a SELECT id FROM t WHERE id = 10 FOR UPDATE => a [[10]]
			b SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED => b [[20]]
			b SELECT id FROM t WHERE id = 10 FOR SHARE SKIP LOCKED => b []`},
		{"shared locks hinder each other not, and changes", backticks, `
			a BEGIN => a 0
			a SELECT v FROM t WHERE id = 10 FOR SHARE => a [[0]]
			b SELECT v FROM t WHERE id = 10 FOR SHARE => b [[0]]
			b DELETE FROM t WHERE id = 10 => b waits
			a COMMIT => a 0; b 1`},
		{"the first read decides what a transaction sees", backticks, `
			a BEGIN => a 0
			a SELECT v FROM t WHERE id = 10 => a [[0]]
			b UPDATE t SET v = 7 WHERE id = 10 => b 1
			a SELECT v FROM t WHERE id = 10 => a [[0]]
			a SELECT v FROM t WHERE id = 10 FOR UPDATE => a [[7]]`},
		{"each statement sees what is committed when it begins", quotes, `
			a BEGIN => a 0
			a SELECT v FROM t WHERE id = 10 => a [[0]]
			b UPDATE t SET v = 7 WHERE id = 10 => b 1
			a SELECT v FROM t WHERE id = 10 => a [[7]]`},
		{"a duplicate locks the row that it has met", backticks, `
			a BEGIN => a 0
			a INSERT INTO t VALUES (10, 1) => a 10 is there already in key PRIMARY
			b UPDATE t SET v = 3 WHERE id = 10 => b waits
			a ROLLBACK => a 0; b 1`},
		{"an insertion that is taken back leaves the key to who waits for it", backticks, `
			a BEGIN => a 0
			a INSERT INTO t VALUES (15, 1) => a 1
			b INSERT INTO t VALUES (15, 2) => b waits
			a ROLLBACK => a 0; b 1
			c SELECT v FROM t WHERE id = 15 => c [[2]]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(test.dialect)
			p := b.peer("setup")
			p.send("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
			p.send("INSERT INTO t VALUES (10, 0), (20, 0), (30, 0)")
			b.play(t, test.script)
		})
	}
}

// TestVictimWithoutRollback: where a deadlock does not roll the transaction back, its victim keeps what it has
// done before the statement.
func TestVictimWithoutRollback(t *testing.T) {
	b := newBench(quotes)
	b.play(t, `
		a CREATE TABLE t (id INT PRIMARY KEY, v INT) => a 0
		a INSERT INTO t VALUES (1, 0), (2, 0) => a 2
		a BEGIN => a 0
		a UPDATE t SET v = 1 WHERE id = 1 => a 1
		b BEGIN => b 0
		b UPDATE t SET v = 2 WHERE id = 2 => b 1
		b UPDATE t SET v = 2 WHERE id = 1 => b waits
		a UPDATE t SET v = 1 WHERE id = 2 => a waits; a the wait for the lock is a deadlock
		a COMMIT => a 0; b 1
		b COMMIT => b 0
		c SELECT v FROM t => c [[2] [2]]`)
}

// TestWeight: locks of one kind weigh as one, and each that was waited for as one more.
func TestWeight(t *testing.T) {
	weigh := func(waits bool) int {
		b := newBench(backticks)
		locks := "a BEGIN => a 0\n"
		if waits {
			locks += "a SELECT id FROM t WHERE id = 2 FOR UPDATE => a [[2]]\n"
		}
		b.play(t, `
			a CREATE TABLE t (id INT PRIMARY KEY) => a 0
			a INSERT INTO t VALUES (1), (2), (3) => a 3
			`+locks+`
			b BEGIN => b 0
			b SELECT id FROM t WHERE id = 1 FOR UPDATE => b [[1]]
			b SELECT id FROM t WHERE id = 2 FOR UPDATE => `+map[bool]string{true: "b waits", false: "b [[2]]"}[waits]+`
			a COMMIT => a 0`+map[bool]string{true: "; b [[2]]"}[waits]+`
			b SELECT id FROM t WHERE id = 3 FOR UPDATE => b [[3]]`)
		changes, structures := b.db.Open()[0].Weight()
		return changes + structures
	}
	if once, twice := weigh(false), weigh(true); twice != once+1 {
		t.Errorf("it weighs %d without a wait, and %d with one", once, twice)
	}
}

// TestReplication: a replica has what was committed, and a full copy drops what it alone had.
func TestReplication(t *testing.T) {
	source, replica := newBench(backticks), newBench(backticks)
	fill := func(b *bench, statements ...string) {
		p := b.peer("p")
		for _, q := range statements {
			p.send(q)
		}
	}
	const create = "CREATE TABLE t (id INT PRIMARY KEY, v TEXT, UNIQUE (v))"
	fill(source, create, "INSERT INTO t VALUES (1, 'a'), (2, 'b')", "BEGIN", "DELETE FROM t WHERE id = 1")
	fill(replica, create, "INSERT INTO t VALUES (1, 'a'), (3, 'c')")
	replica.rows = nil
	replica.db.Load(source.db.Copy())
	if got := strings.Join(replica.rows, "; "); got != "dropped t [3 c]; created t [2 b]" {
		t.Errorf("the copy has changed %s", got)
	}
	open := source.db.Open()[0]
	replica.rows = nil
	r := replica.db.Replicate()
	for _, m := range open.Images() {
		r.Install(m, open.Client().Origin())
	}
	r.End()
	if !slices.Equal(replica.rows, []string{"deleted t [1 a]"}) {
		t.Errorf("the commit has changed %q", replica.rows)
	}
	replica.play(t, "a SELECT id FROM t WHERE v = 'B' => a [[2]]\na INSERT INTO t VALUES (1, 'a') => a 1")
}
