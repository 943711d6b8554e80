package scripts

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// dice draws.
type dice struct{ *rand.Rand }

func (d dice) pick(list ...string) string { return list[d.IntN(len(list))] }

// of reports true once in n times.
func (d dice) of(n int) bool { return d.IntN(n) == 0 }

// Draw draws a script of two to four sessions. The same seed gives the same script.
func Draw(seed uint64) Script {
	d := dice{rand.New(rand.NewPCG(seed, 1))}
	return d.script([]func(int) string{d.rows, d.rows, d.pairs, d.queue, d.queue, d.lease, d.advisory, d.advisory, d.notify, d.tables, d.signals}, "gone")
}

// DrawPooled draws a script of sessions behind a pooler.
func DrawPooled(seed uint64) Script {
	d := dice{rand.New(rand.NewPCG(seed, 2))}
	s := d.script([]func(int) string{d.rows, d.queue, d.advisory, d.advisory, d.advisory, d.backend, d.backend}, "X")
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Do == "P" && (strings.Contains(c.Text, "BEGIN") || strings.Contains(c.Text, "START") || strings.Contains(c.Text, "CHAIN")) {
			c.Text = "- SELECT 1" // in statement mode the pooler ends the connection while the server answers
		}
	}
	return s
}

// backend asks which process serves the session.
func (d dice) backend(int) string { return "SELECT pg_backend_pid() AS backend" }

// script draws a script about some of the themes: with few tables the sessions meet more often. Sessions may end by a
// command.
func (d dice) script(all []func(sessions int) string, end string) Script {
	s := Script{Sessions: 2 + d.IntN(3)}
	var themes []func(int) string
	for range 1 + d.IntN(3) {
		themes = append(themes, all[d.IntN(len(all))])
	}
	open := make([]bool, s.Sessions)
	for range 12 + d.IntN(16) {
		i := d.IntN(s.Sessions)
		if d.of(25) {
			s.Commands = append(s.Commands, Command{Session: i, Do: d.pick("cancel", "cancel", "cancel", end)})
			continue
		}
		statement := d.statement(themes, s.Sessions, open[i] || d.of(12))
		switch statement[:min(5, len(statement))] {
		case "BEGIN", "START":
			open[i] = true
		case "COMMI", "ROLLB", "END", "ABORT":
			open[i] = strings.Contains(statement, "TO ")
		}
		s.Commands = append(s.Commands, d.commands(i, statement)...)
	}
	return s
}

// statement draws a statement, open if the session may be in a transaction.
func (d dice) statement(themes []func(int) string, sessions int, open bool) string {
	switch n := d.IntN(20); {
	case n < 4 && (!open || d.of(10)):
		return d.begin()
	case !open:
	case n < 6:
		return d.pick("COMMIT", "COMMIT", "ROLLBACK", "END", "COMMIT AND CHAIN", "ABORT")
	case n < 8:
		return d.savepoint()
	case n == 8 && d.of(2):
		return d.setting()
	}
	return themes[d.IntN(len(themes))](sessions)
}

func (d dice) begin() string {
	return d.pick("BEGIN", "BEGIN", "BEGIN", "BEGIN", "BEGIN", "START TRANSACTION", "BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN ISOLATION LEVEL REPEATABLE READ",
		"BEGIN ISOLATION LEVEL SERIALIZABLE", "BEGIN ISOLATION LEVEL SERIALIZABLE", "BEGIN READ ONLY", "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE")
}

func (d dice) savepoint() string {
	return d.pick("SAVEPOINT ", "SAVEPOINT ", "ROLLBACK TO ", "ROLLBACK TO SAVEPOINT ", "RELEASE ", "RELEASE SAVEPOINT ") + d.pick("a", "a", "b")
}

func (d dice) setting() string {
	return d.pick("SET lock_timeout = '5ms'", "SET LOCAL lock_timeout = '5ms'", "SET lock_timeout = 0", "RESET lock_timeout", "SHOW lock_timeout",
		"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SET TRANSACTION READ ONLY", "SHOW transaction_isolation", "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
		"SET default_transaction_isolation = 'serializable'", "SELECT current_setting('lock_timeout')", "SELECT set_config('lock_timeout', '5ms', true)",
		"SET application_name = 'me'", "RESET ALL", "DISCARD ALL", "SELECT 1; SELECT 2", "", "SELECT 1; SELECT nothing; SELECT 3")
}

// strength draws how rows are locked.
func (d dice) strength() string {
	return d.pick("FOR UPDATE", "FOR UPDATE", "FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE", "FOR KEY SHARE") + d.pick("", "", "", "", " NOWAIT", " SKIP LOCKED")
}

func (d dice) id() string { return d.pick("10", "10", "20", "20", "30", "5", "15", "25") }

func (d dice) small() string { return d.pick("0", "1", "2") }

// where draws a condition on t.
func (d dice) where() string {
	switch d.IntN(10) {
	default:
		return " WHERE id = " + d.id()
	case 0, 1:
		return " WHERE k = " + d.id()
	case 2:
		return " WHERE id " + d.pick(">", ">=", "<", "<=", "<>") + " " + d.id()
	case 3:
		return " WHERE id = " + d.id() + " AND v = " + d.small()
	case 4:
		return " WHERE v = " + d.small()
	case 5:
		return " WHERE id IN (" + d.id() + ", " + d.id() + ")"
	}
}

// rows draws a statement on t.
func (d dice) rows(int) string {
	row := func() string {
		return "(" + d.id() + ", " + d.pick(d.id(), d.id(), d.id(), "NULL") + ", " + d.small() + ")"
	}
	switch d.IntN(18) {
	default:
		return "SELECT * FROM t" + d.where() + " " + d.strength()
	case 0:
		return "SELECT * FROM t" + d.where()
	case 1:
		return "SELECT * FROM t" + d.pick("", d.where()) + " ORDER BY " + d.pick("id", "v, id", "id DESC", "k") + d.pick("", " LIMIT 1", " LIMIT 2", " OFFSET 1 LIMIT 1") + " " + d.pick("", d.strength(), d.strength())
	case 2:
		return "SELECT count(*), sum(v) FROM t" + d.pick("", d.where())
	case 3, 4:
		return "INSERT INTO t VALUES " + row() + d.pick("", ", "+row()) + d.returning()
	case 5, 6:
		return "INSERT INTO t VALUES " + row() + d.pick("", ", "+row()) + " ON CONFLICT " + d.pick("DO NOTHING", "(id) DO NOTHING", "(k) DO NOTHING", "(id) DO UPDATE SET v = t.v + 1",
			"(id) DO UPDATE SET v = excluded.v, k = excluded.k", "(k) DO UPDATE SET v = t.v + 1 WHERE t.v < 2", "ON CONSTRAINT t_pkey DO UPDATE SET v = excluded.v WHERE t.v = excluded.v", "(v) DO NOTHING") + d.returning()
	case 7, 8, 9:
		return "UPDATE t SET " + d.pick("v = v + 1", "v = v + 1", "v = v + 1", "k = "+d.id(), "id = id + 1", "v = 0", "(v, k) = (v + 1, k + 1)", "v = NULL") + d.where() + d.returning()
	case 10, 11:
		return "DELETE FROM t" + d.where() + d.returning()
	case 12:
		return "UPDATE t SET v = v + 1 WHERE id = (SELECT id FROM t WHERE v = 0 ORDER BY id " + d.pick("LIMIT 1", "LIMIT 1 FOR UPDATE", "LIMIT 1 FOR UPDATE SKIP LOCKED") + ")" + d.returning()
	}
}

func (d dice) returning() string {
	return d.pick("", "", " RETURNING *", " RETURNING id, v AS value")
}

// pairs draws a statement on c, whose key has two columns.
func (d dice) pairs(int) string {
	a, b := d.pick("1", "2", "3"), d.pick("10", "15", "20")
	where := " WHERE a = " + a + d.pick("", " AND b = "+b, " AND b = "+b, " AND b BETWEEN 10 AND "+b)
	switch d.IntN(9) {
	case 0:
		return "SELECT * FROM c" + where
	case 1, 2, 3:
		return "SELECT * FROM c" + where + " " + d.strength()
	case 4:
		return "UPDATE c SET v = v + 1" + where
	case 5:
		return "DELETE FROM c" + where
	case 6:
		return "INSERT INTO c VALUES (" + a + ", " + b + ") ON CONFLICT " + d.pick("DO NOTHING", "(a, b) DO UPDATE SET v = c.v + 10", "(b, a) DO NOTHING", "(a) DO NOTHING")
	case 7:
		return "SELECT t.id, c.v FROM t JOIN c ON c.b = t.id WHERE c.a = " + a + " ORDER BY t.id " + d.pick("", "FOR UPDATE", "FOR UPDATE OF t", "FOR SHARE OF c SKIP LOCKED", "FOR UPDATE OF x")
	default:
		return "INSERT INTO c VALUES (" + a + ", " + b + ")" + d.pick("", " RETURNING a, b")
	}
}

// queue draws a statement on q, a queue of jobs of which one of a name may be held.
func (d dice) queue(int) string {
	job := "'" + d.pick("a", "a", "b", "c") + "'"
	owner := d.pick("1", "2", "3")
	next := "SELECT id FROM q WHERE state = 'new' ORDER BY id " + d.pick("LIMIT 1", "FOR UPDATE SKIP LOCKED LIMIT 1", "FOR UPDATE SKIP LOCKED LIMIT 1", "LIMIT 1 FOR UPDATE", "LIMIT 2 FOR NO KEY UPDATE SKIP LOCKED")
	switch d.IntN(13) {
	default:
		return "UPDATE q SET state = 'held', owner = " + owner + " WHERE id = (" + strings.Replace(next, "LIMIT 2", "LIMIT 1", 1) + ")" + d.pick("", " RETURNING id, job")
	case 0, 1:
		return "UPDATE q SET state = 'held', owner = " + owner + " WHERE id IN (" + next + ") RETURNING id"
	case 2, 3:
		return "WITH next AS " + d.pick("", "MATERIALIZED ") + "(" + next + ") UPDATE q SET state = 'done', owner = " + owner + " FROM next WHERE q.id = next.id RETURNING q.*"
	case 4:
		return "DELETE FROM q USING (" + next + ") n WHERE q.id = n.id RETURNING q.id, q.job"
	case 5, 6:
		return "INSERT INTO q (job) VALUES (" + job + ") RETURNING id"
	case 7, 8:
		return "INSERT INTO q (job, state, owner) VALUES (" + job + ", 'held', " + d.pick(owner, owner, "-1") + ")" +
			d.pick("", " ON CONFLICT (job) WHERE state = 'held' DO NOTHING", " ON CONFLICT (job) WHERE state = 'held' DO UPDATE SET owner = excluded.owner RETURNING *", " ON CONFLICT (job) DO NOTHING")
	case 9:
		return "UPDATE q SET state = '" + d.pick("new", "held", "done") + "' WHERE job = " + job + " AND owner " + d.pick("IS NULL", "= "+owner)
	case 10:
		return "WITH gone AS (DELETE FROM q WHERE job = " + job + " RETURNING id, job) INSERT INTO q (job, state) SELECT job, 'new' FROM gone RETURNING id, job"
	}
}

// lease draws a statement on l, the table of leases.
func (d dice) lease(int) string {
	name, owner := "'"+d.pick("a", "a", "b", "c")+"'", "'"+d.pick("x", "y", "z")+"'"
	end := "now() + interval '1 hour'"
	switch d.IntN(9) {
	case 0, 1:
		return "INSERT INTO l (name, owner, expires_at) VALUES (" + name + ", " + owner + ", " + end + ") ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, version = l.version + 1, expires_at = excluded.expires_at WHERE l.expires_at < now()" +
			d.pick("", " OR l.owner = excluded.owner") + " RETURNING owner, version"
	case 2:
		return "UPDATE l SET owner = " + owner + ", version = version + 1, expires_at = " + end + " WHERE name = " + name + " AND (owner = " + owner + " OR expires_at < clock_timestamp()) RETURNING version"
	case 3:
		return "UPDATE l SET version = version + 1 WHERE name = " + name + " AND version = " + d.pick("1", "2")
	case 4:
		return "DELETE FROM l WHERE name = " + name + " AND owner = " + owner
	case 5:
		return "SELECT owner, version, expires_at > now() FROM l WHERE name = " + name + " " + d.pick("", d.strength())
	case 6:
		return "UPDATE l SET owner = NULL, expires_at = '-infinity' WHERE name = " + name + " AND owner = " + owner
	case 7:
		return "INSERT INTO l (name, owner) VALUES (" + name + ", " + owner + ")"
	default:
		return "SELECT name, coalesce(owner, 'nobody') AS owner FROM l WHERE expires_at " + d.pick(">", "<") + " now() ORDER BY name " + d.pick("", d.strength())
	}
}

// advisory draws a statement on advisory locks.
func (d dice) advisory(int) string {
	key := d.pick("1", "1", "2", "1, 2", "2, 1", "hashtext('a')", "9223372036854775807")
	function := d.pick("pg_advisory_lock", "pg_advisory_lock", "pg_advisory_lock", "pg_advisory_lock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock", "pg_try_advisory_lock_shared",
		"pg_advisory_xact_lock", "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared", "pg_try_advisory_xact_lock", "pg_try_advisory_xact_lock_shared",
		"pg_advisory_unlock", "pg_advisory_unlock", "pg_advisory_unlock", "pg_advisory_unlock_shared")
	switch d.IntN(14) {
	case 0:
		return "SELECT pg_advisory_unlock_all()"
	case 1:
		return "SELECT locktype, classid, objid, objsubid, mode, granted FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY classid, objid, objsubid, mode, granted"
	case 2:
		return "SELECT id, pg_try_advisory_lock(id) FROM t" + d.pick("", d.where()) + d.pick("", " ORDER BY id", " LIMIT 1")
	case 3:
		return "SELECT id FROM t WHERE " + d.pick("v = 0 AND ", "") + "pg_try_advisory_xact_lock(id)" + d.pick("", " LIMIT 1", " ORDER BY id LIMIT 1")
	}
	return "SELECT " + function + "(" + key + ")"
}

// notify draws a statement on notifications.
func (d dice) notify(int) string {
	channel := d.pick("a", "a", "b")
	return d.pick("LISTEN "+channel, "LISTEN "+channel, "UNLISTEN "+d.pick(channel, "*"), "NOTIFY "+channel, "NOTIFY "+channel+", 'x'", "NOTIFY "+channel+", 'y'", "SELECT pg_notify('"+channel+"', 'z')",
		"NOTIFY "+channel+"; NOTIFY "+channel)
}

// tables draws a statement that locks or defines tables.
func (d dice) tables(int) string {
	if d.of(4) {
		return d.pick("CREATE TABLE w (id int PRIMARY KEY, x text)", "CREATE TABLE IF NOT EXISTS w (id int)", "DROP TABLE w", "DROP TABLE IF EXISTS w", "INSERT INTO w VALUES (1)", "SELECT * FROM w",
			"ALTER TABLE w ADD COLUMN y int", "CREATE UNIQUE INDEX w_x ON w (id)", "TRUNCATE w")
	}
	return "LOCK TABLE " + d.pick("t", "t", "c", "t, c") + d.pick("", " IN ACCESS SHARE MODE", " IN ROW SHARE MODE", " IN ROW EXCLUSIVE MODE", " IN SHARE UPDATE EXCLUSIVE MODE", " IN SHARE MODE",
		" IN SHARE ROW EXCLUSIVE MODE", " IN EXCLUSIVE MODE", " IN ACCESS EXCLUSIVE MODE") + d.pick("", "", "", " NOWAIT")
}

// signals draws a statement that interrupts another session, or asks of it.
func (d dice) signals(sessions int) string {
	other := fmt.Sprintf("{%d}", d.IntN(sessions))
	return d.pick("SELECT pg_cancel_backend("+other+")", "SELECT pg_cancel_backend("+other+")", "SELECT pg_terminate_backend("+other+")", "SELECT pg_backend_pid()",
		"SELECT count(*) FROM pg_stat_activity WHERE pid = "+other+" AND wait_event_type = 'Lock'", "SELECT state FROM pg_stat_activity WHERE pid = "+other)
}

var digits = regexp.MustCompile(`\b\d+\b`)

// commands are how a session sends a statement: as a simple query, or by the extended protocol, with parameters in place
// of numbers.
func (d dice) commands(session int, statement string) (list []Command) {
	statement = strings.TrimSpace(statement)
	if !d.of(3) || statement == "" || strings.Contains(statement, "{") || strings.Contains(statement, "AS backend") {
		return []Command{{session, "Q", statement}}
	}
	add := func(do, text string) { list = append(list, Command{session, do, text}) }
	var params []string
	if regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH)`).MatchString(statement) && !strings.Contains(statement, ";") && !strings.Contains(statement, "pg_locks") && !strings.Contains(statement, "interval") {
		statement = digits.ReplaceAllStringFunc(statement, func(n string) string {
			params = append(params, n)
			return fmt.Sprintf("$%d", len(params))
		})
	}
	prepared, portal := d.pick("-", "-", "s"), d.pick("-", "-", "p")
	add("P", prepared+" "+statement)
	if d.of(3) {
		add("D", "S "+prepared)
	}
	if d.of(4) {
		add(d.pick("H", "S"), "")
	}
	binary := d.pick("", "", "", "* ")
	if strings.Contains(statement, "backend") {
		binary = "" // a number of a process
	}
	add("B", strings.TrimSpace(binary+portal+" "+prepared+" "+strings.Join(params, " ")))
	if d.of(2) {
		add("D", "P "+portal)
	}
	add("E", portal+d.pick("", "", "", " 1"))
	switch d.IntN(10) {
	case 0:
		add("E", portal)
	case 1:
		add("B", strings.TrimSpace("- "+prepared+" "+strings.Join(params, " ")))
		add("E", "-")
	case 2, 3, 4:
		if prepared != "-" {
			add("C", "S "+prepared)
		}
	}
	if d.of(15) {
		add("H", "")
	}
	if !d.of(40) {
		add("S", "")
	}
	return list
}
