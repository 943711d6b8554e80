package simmysql

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// setUp is what scripts begin with.
var setUp = []string{
	"DROP TABLE IF EXISTS t",
	"CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT, v INT NOT NULL DEFAULT 0, UNIQUE KEY k (k))",
	"INSERT INTO t VALUES (10, 10, 0), (20, 20, 0), (30, 30, 1)",
	"DROP TABLE IF EXISTS u, w, c",
	"CREATE TABLE u (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, a INT, v INT NOT NULL DEFAULT 0, UNIQUE KEY a (a))",
	"INSERT INTO u (a) VALUES (1), (2)",
	"CREATE TABLE c (a INT NOT NULL, b INT NOT NULL, v INT NOT NULL DEFAULT 0, PRIMARY KEY (a, b))",
	"INSERT INTO c VALUES (1, 10, 0), (1, 20, 0), (2, 10, 0), (2, 20, 0), (3, 10, 0), (4, 10, 0), (5, 10, 0), (6, 10, 0)",
}

// tables are those of scripts whose rows are compared at the end.
var tables = []string{"t", "u", "c"}

var (
	someID    = rapid.SampledFrom([]int{10, 10, 20, 20, 30, 5, 15, 15, 25, 35})
	someValue = rapid.SampledFrom([]int{0, 1, 2})
	oneInFour = rapid.SampledFrom([]bool{false, false, false, true})
	someLock  = rapid.SampledFrom([]string{"a", "b"})
)

// drawCondition draws what a statement is about.
func drawCondition(rt *rapid.T) string {
	id := someID.Draw(rt, "id")
	switch rapid.IntRange(0, 9).Draw(rt, "condition") {
	default:
		return fmt.Sprintf("WHERE id = %d", id)
	case 4, 5:
		return fmt.Sprintf("WHERE k = %d", id)
	case 6:
		return fmt.Sprintf("WHERE id %s %d", rapid.SampledFrom([]string{">", ">=", "<", "<="}).Draw(rt, "operator"), id)
	case 7:
		return fmt.Sprintf("WHERE id = %d AND v = %d", id, someValue.Draw(rt, "value"))
	case 8:
		return fmt.Sprintf("WHERE v = %d", someValue.Draw(rt, "value"))
	case 9:
		return fmt.Sprintf("WHERE id IN (%d, %d)", id, someID.Draw(rt, "other"))
	}
}

// drawStatement draws a statement. With tables it may lock tables, and otherwise it may use named locks: a real server
// notices who waits for each other by both.
func drawStatement(rt *rapid.T, tables bool) string {
	row := func() string {
		k := fmt.Sprint(someID.Draw(rt, "key"))
		if oneInFour.Draw(rt, "no key") {
			k = "NULL"
		}
		return fmt.Sprintf("(%d, %s, %d)", someID.Draw(rt, "id"), k, someValue.Draw(rt, "value"))
	}
	switch rapid.IntRange(0, 33).Draw(rt, "statement") {
	case 0, 1, 2:
		return "BEGIN"
	case 3:
		return "COMMIT"
	case 4:
		return "ROLLBACK"
	case 5:
		return "SELECT * FROM t " + drawCondition(rt)
	case 6, 7, 8:
		return strings.TrimSpace("SELECT * FROM t " + drawCondition(rt) + " FOR UPDATE " + rapid.SampledFrom([]string{"", "", "", "", "NOWAIT", "SKIP LOCKED", "WAIT 0", "WAIT 100"}).Draw(rt, "patience"))
	case 9:
		return "SELECT * FROM t " + drawCondition(rt) + " LOCK IN SHARE MODE"
	case 10, 11, 12:
		return "INSERT INTO t VALUES " + row()
	case 13:
		return "INSERT IGNORE INTO t VALUES " + row() + ", " + row()
	case 14:
		return "INSERT INTO t VALUES " + row() + " ON DUPLICATE KEY UPDATE v = v + 1"
	case 15, 16:
		return "UPDATE t SET v = v + 1 " + drawCondition(rt)
	case 17:
		return fmt.Sprintf("UPDATE t SET k = %d %s", someID.Draw(rt, "key"), drawCondition(rt))
	case 18:
		return "DELETE FROM t " + drawCondition(rt)
	case 19, 20:
		if tables {
			return drawTables(rt)
		}
		return drawNamed(rt)
	case 21, 22:
		return drawCut(rt)
	case 23, 32, 33:
		return drawSavepoint(rt)
	case 24:
		return drawDefinition(rt)
	case 25, 26, 27:
		return drawNumbered(rt)
	default:
		return drawComposite(rt)
	}
}

// drawCut draws a statement with an order and a limit.
func drawCut(rt *rapid.T) string {
	where := rapid.SampledFrom([]string{"", "WHERE v = 0 ", "WHERE id >= 20 "}).Draw(rt, "where")
	cut := where + "ORDER BY " + rapid.SampledFrom([]string{"id", "id", "v, id"}).Draw(rt, "order") + fmt.Sprintf(" LIMIT %d", rapid.IntRange(0, 2).Draw(rt, "limit"))
	switch rapid.IntRange(0, 3).Draw(rt, "cut") {
	case 0:
		return "SELECT * FROM t " + cut
	case 1:
		return "SELECT * FROM t " + cut + " FOR UPDATE"
	case 2:
		return "UPDATE t SET v = v + 1 " + cut
	default:
		return "DELETE FROM t " + cut
	}
}

// drawSavepoint draws a statement on savepoints.
func drawSavepoint(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"SAVEPOINT ", "SAVEPOINT ", "ROLLBACK TO ", "RELEASE SAVEPOINT "}).Draw(rt, "savepoint") + someLock.Draw(rt, "name")
}

// drawDefinition draws a statement on a table that no transaction uses: a real server waits for those.
func drawDefinition(rt *rapid.T) string {
	return rapid.SampledFrom([]string{
		"CREATE TABLE w (id INT)", "CREATE TABLE IF NOT EXISTS w (id INT)", "DROP TABLE w", "DROP TABLE IF EXISTS w", "TRUNCATE TABLE w",
		"SHOW TABLES LIKE 'w'", "SELECT EXISTS(SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'w')",
		"CREATE TABLE w (id INT AUTO_INCREMENT)", "CREATE TABLE w (id INT DEFAULT 'x')", "CREATE TABLE w (id INT PRIMARY KEY, a INT PRIMARY KEY)",
	}).Draw(rt, "definition")
}

// drawNumbered draws a statement on a table with AUTO_INCREMENT.
func drawNumbered(rt *rapid.T) string {
	a := func() int { return rapid.IntRange(1, 5).Draw(rt, "a") }
	switch rapid.IntRange(0, 13).Draw(rt, "numbered") {
	case 0, 1:
		return fmt.Sprintf("INSERT INTO u (a) VALUES (%d)", a())
	case 2:
		return fmt.Sprintf("INSERT INTO u (a) VALUES (%d), (%d)", a(), a())
	case 3:
		return fmt.Sprintf("INSERT IGNORE INTO u (a) VALUES (%d), (%d)", a(), a())
	case 4:
		return fmt.Sprintf("INSERT INTO u (a) VALUES (%d) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id), v = v + 1", a())
	case 5:
		return fmt.Sprintf("INSERT INTO u (a) VALUES (%d) ON DUPLICATE KEY UPDATE v = %d", a(), someValue.Draw(rt, "value"))
	case 6:
		return fmt.Sprintf("INSERT INTO u (id, a) VALUES (%d, %d)", a()+2, a())
	case 7:
		return fmt.Sprintf("UPDATE u SET v = LAST_INSERT_ID(v + 1) WHERE a = %d", a())
	case 8:
		return fmt.Sprintf("DELETE FROM u WHERE id = %d", a())
	case 9:
		return fmt.Sprintf("INSERT INTO u (a) VALUES (%d), (%d) ON DUPLICATE KEY UPDATE v = %d RETURNING id, v", a(), a(), someValue.Draw(rt, "value"))
	case 10:
		return fmt.Sprintf("SELECT EXISTS(SELECT id FROM u WHERE a = %d)", a())
	case 11, 12:
		inner := fmt.Sprintf("(SELECT COALESCE((SELECT a FROM u WHERE id = %d%s), 0))", a(), rapid.SampledFrom([]string{"", " FOR UPDATE"}).Draw(rt, "inner"))
		return "SELECT * FROM t WHERE id > " + inner + " ORDER BY id LIMIT 1" + rapid.SampledFrom([]string{"", " FOR UPDATE"}).Draw(rt, "outer")
	default:
		return "SELECT LAST_INSERT_ID(), ROW_COUNT()"
	}
}

// drawComposite draws a statement on a table with a primary key of two columns.
func drawComposite(rt *rapid.T) string {
	a, b := rapid.IntRange(1, 3).Draw(rt, "a"), rapid.SampledFrom([]int{10, 15, 20, 25}).Draw(rt, "b")
	where := fmt.Sprintf("WHERE a = %d", a)
	switch rapid.IntRange(0, 3).Draw(rt, "part") {
	case 0, 1:
		where += fmt.Sprintf(" AND b = %d", b)
	case 2:
		where += fmt.Sprintf(" AND b BETWEEN %d AND %d", b, b+5)
	}
	switch rapid.IntRange(0, 5).Draw(rt, "composite") {
	case 0:
		return "SELECT * FROM c " + where
	case 1, 2:
		return "SELECT * FROM c " + where + " FOR UPDATE"
	case 3:
		return "UPDATE c SET v = v + 1 " + where
	case 4:
		return "DELETE FROM c " + where
	default:
		return fmt.Sprintf("INSERT INTO c VALUES (%d, %d, 0)", a, b)
	}
}

// drawTables draws a statement that locks tables as a whole, or gives them up.
func drawTables(rt *rapid.T) string {
	return rapid.SampledFrom([]string{
		"LOCK TABLES t WRITE", "LOCK TABLES t WRITE, c WRITE", "LOCK TABLES u WRITE, t READ", "LOCK TABLES t READ, u READ, c WRITE", "LOCK TABLES w WRITE",
		"UNLOCK TABLES", "UNLOCK TABLES", "UNLOCK TABLES", "UNLOCK TABLES", "UNLOCK TABLES",
	}).Draw(rt, "tables")
}

// drawNamed draws a statement on named locks.
func drawNamed(rt *rapid.T) string {
	name := someLock.Draw(rt, "name")
	switch rapid.IntRange(0, 5).Draw(rt, "named") {
	case 0, 1, 2:
		return fmt.Sprintf("SELECT GET_LOCK('%s', %d)", name, rapid.SampledFrom([]int{100, 100, 0}).Draw(rt, "seconds"))
	case 3, 4:
		return fmt.Sprintf("SELECT RELEASE_LOCK('%s')", name)
	default:
		return fmt.Sprintf("SELECT IS_FREE_LOCK('%s')", name)
	}
}

// drawScript draws a script of so many commands.
func drawScript(rt *rapid.T, commands, sessions int) (script []command) {
	for i := range sessions {
		if level := rapid.SampledFrom([]string{"", "", "", "", "READ COMMITTED", "SERIALIZABLE"}).Draw(rt, "level"); level != "" {
			script = append(script, command{session: i, query: "SET SESSION TRANSACTION ISOLATION LEVEL " + level})
		}
		if oneInFour.Draw(rt, "transaction") {
			script = append(script, command{session: i, query: "SET autocommit = 0"})
		}
	}
	tables := oneInFour.Draw(rt, "tables")
	for range commands {
		c := command{session: rapid.IntRange(0, sessions-1).Draw(rt, "session")}
		if rapid.IntRange(0, 19).Draw(rt, "kills") == 19 {
			c.kills = true
			script = append(script, c)
			continue
		}
		c.query = drawStatement(rt, tables)
		if oneInFour.Draw(rt, "prepared") {
			c.prepare()
		}
		script = append(script, c)
	}
	return script
}

var number = regexp.MustCompile(`\b\d+\b`)

// prepare makes parameters of the numbers of a statement on the table.
func (c *command) prepare() {
	if !regexp.MustCompile(` [tuc] `).MatchString(c.query) || strings.Contains(c.query, "WAIT") {
		return
	}
	c.query = number.ReplaceAllStringFunc(c.query, func(digits string) string {
		n, _ := strconv.Atoi(digits)
		c.args = append(c.args, n)
		return "?"
	})
}
