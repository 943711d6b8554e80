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
}

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

// drawStatement draws a statement.
func drawStatement(rt *rapid.T) string {
	row := func() string {
		k := fmt.Sprint(someID.Draw(rt, "key"))
		if oneInFour.Draw(rt, "no key") {
			k = "NULL"
		}
		return fmt.Sprintf("(%d, %s, %d)", someID.Draw(rt, "id"), k, someValue.Draw(rt, "value"))
	}
	switch rapid.IntRange(0, 19).Draw(rt, "statement") {
	case 0, 1, 2:
		return "BEGIN"
	case 3:
		return "COMMIT"
	case 4:
		return "ROLLBACK"
	case 5:
		return "SELECT * FROM t " + drawCondition(rt)
	case 6, 7, 8:
		return strings.TrimSpace("SELECT * FROM t " + drawCondition(rt) + " FOR UPDATE " + rapid.SampledFrom([]string{"", "", "", "", "NOWAIT", "SKIP LOCKED"}).Draw(rt, "patience"))
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
	default:
		return drawNamed(rt)
	}
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
		if oneInFour.Draw(rt, "read committed") {
			script = append(script, command{session: i, query: "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"})
		}
		if oneInFour.Draw(rt, "transaction") {
			script = append(script, command{session: i, query: "SET autocommit = 0"})
		}
	}
	for range commands {
		c := command{session: rapid.IntRange(0, sessions-1).Draw(rt, "session"), query: drawStatement(rt)}
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
	if !strings.Contains(c.query, " t ") {
		return
	}
	c.query = number.ReplaceAllStringFunc(c.query, func(digits string) string {
		n, _ := strconv.Atoi(digits)
		c.args = append(c.args, n)
		return "?"
	})
}
