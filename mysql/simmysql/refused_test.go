package simmysql

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// TestRefused: what the server does not do is answered with an error, and not passed over.
func TestRefused(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		for _, test := range []struct {
			query  string
			number int
		}{
			{"SELECT v FROM t ORDER BY 1", 1064},
			{"SELECT v FROM t ORDER BY x", 1054},
			{"SELECT v FROM t WHERE u.v = 1", 1054},
			{"SELECT v FROM other.t", 1064},
			{"SELECT v, COUNT(*) FROM t", 1064},
			{"SELECT SUM(COUNT(*)) FROM t", 1111},
			{"SELECT v FROM t WHERE COUNT(*) = 1", 1111},
			{"UPDATE t SET v = COUNT(*)", 1111},
			{"SELECT EXISTS(SELECT 1)", 1064},
			{"SELECT EXISTS(SELECT x FROM t)", 1054},
			{"SELECT v FROM t WHERE EXISTS(SELECT w FROM t)", 1064},
			{"SELECT v, (SELECT 1) FROM t", 1064},
			{"SELECT v FROM t ORDER BY (SELECT 1)", 1064},
			{"SELECT v FROM t LIMIT (SELECT 1)", 1064},
			{"SELECT (SELECT 1, 2)", 1241},
			{"UPDATE t SET v = (SELECT 1)", 1064},
			{"DELETE FROM t WHERE v = (SELECT 1)", 1064},
			{"INSERT INTO t VALUES ((SELECT 1), 1)", 1064},
			{"CREATE TABLE n (id JSON PRIMARY KEY)", 1170},
			{"SELECT table_name FROM information_schema.tables", 1064},
			{"SELECT table_name FROM information_schema.tables WHERE table_name = 't'", 1064},
			{"SELECT * FROM information_schema.tables WHERE table_schema = 'test'", 1064},
			{"SELECT table_rows FROM information_schema.tables WHERE table_schema = 'test'", 1064},
			{"SELECT table_name FROM information_schema.tables WHERE table_schema = 'test' FOR UPDATE", 1064},
			{"SELECT table_name FROM information_schema.statistics WHERE table_schema = 'test'", 1064},
			{"SELECT * FROM t WHERE id LIKE '1%'", 1064},
			{"ALTER TABLE t ADD COLUMN another INT", 1064},
			{"SHOW GLOBAL TABLES", 1064},
			{"SHOW TABLES FROM test", 1064},
			{"SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", 1064},
			{"DELETE FROM t RETURNING v", 1064},
			{"DELETE FROM t LIMIT 0, 5", 1064},
			{"UPDATE t SET v = 1 LIMIT 5 OFFSET 1", 1064},
			{"SET @@global.wait_timeout = 77", 1064},
			{"SET sql_mode = ''", 1231},
			{"SET sql_mode = 'STRICT_TRANS_TABLES,ANSI_QUOTES'", 1231},
			{"SET time_zone = '+01:00'", 1231},
			{"SET max_statement_time = 1", 1231},
			{"SET autocommit = 2", 1231},
			{"SET wait_timeout = 'long'", 1232},
			{"SET NAMES binary", 1064},
			{"SELECT TIMESTAMPDIFF(MONTH, NOW(), NOW())", 1064},
			{"SELECT 1 /*! + 1 */", 1064},
			{"SELECT 1 /* + 1", 1064},
			{"SELECT 9223372036854775807 + 1", 1690},
			{"SELECT -9223372036854775807 - 2", 1690},
			{"SELECT 4611686018427387904 * 2", 1690},
			{"CREATE TABLE n (id INT PRIMARY KEY, v INT DEFAULT GET_LOCK('a', 1))", 1064},
			{"CREATE TABLE n (id INT PRIMARY KEY, v INT DEFAULT w)", 1064},
			{"CREATE TABLE n (id INT PRIMARY KEY, v INT DEFAULT 'x')", 1067},
			{"CREATE TABLE n (id INT PRIMARY KEY, v INT NOT NULL DEFAULT NULL)", 1067},
			{"CREATE TABLE n (id INT PRIMARY KEY, v INT DEFAULT NOW())", 1067},
			{"CREATE TABLE n (id INT PRIMARY KEY, v INT ON UPDATE NOW())", 1294},
			{"CREATE TABLE n (id INT, v INT AUTO_INCREMENT)", 1075},
			{"CREATE TABLE n (id TEXT PRIMARY KEY)", 1170},
			{"CREATE TABLE n (id VARCHAR PRIMARY KEY)", 1064},
			{"CREATE TABLE n (id INT PRIMARY KEY, KEY a (id), KEY a (id))", 1061},
			{"CREATE TABLE n (id VARCHAR(9) COLLATE utf8mb4_bin PRIMARY KEY)", 1064},
			{"CREATE TABLE n (id VARCHAR(9) PRIMARY KEY) COLLATE = utf8mb4_bin", 1064},
			{"CREATE TABLE n (id VARCHAR(9) PRIMARY KEY) CHARSET = binary", 1064},
			{"INSERT INTO t VALUES (9223372036854775808, 0)", 1264},
			{"INSERT INTO t VALUES (2147483648, 0)", 1264},
			{"INSERT INTO t VALUES ('nan', 0)", 1366},
		} {
			if n := attempt(c, test.query); n != test.number {
				t.Errorf("%s: error %d, want %d", test.query, n, test.number)
			}
		}
	})
}

// TestBorders: numbers at the ends of their ranges, the first number of a table, and names of a result
// in its order.
func TestBorders(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "CREATE TABLE n (id BIGINT PRIMARY KEY AUTO_INCREMENT, v BIGINT) AUTO_INCREMENT = 100", "INSERT INTO n (v) VALUES (9223372036854775807)",
			"INSERT INTO n (v) VALUES (-9223372036854775808)", "INSERT INTO n (v) VALUES ('9007199254740993')")
		for _, test := range []struct{ query, want string }{
			{"SELECT v FROM n WHERE id = 100", "9223372036854775807"},
			{"SELECT v FROM n WHERE id = 101", "-9223372036854775808"},
			{"SELECT v FROM n WHERE id = 102", "9007199254740993"},
			{"SELECT -v AS x FROM n WHERE id <> 101 ORDER BY x LIMIT 1", "-9223372036854775807"},
			{"SELECT TIMESTAMPDIFF(WEEK, '2000-01-01', '2001-01-01')", "52"},
			{"SELECT '12.5e1x' + 0", "125"},
			{"SELECT '-.5' + 0", "-0.5"},
			{"SELECT 'e5' + 0", "0"},
			{"SELECT 1e+2 + 0", "100"},
			{"SELECT 5 BETWEEN 1 AND 5 AND 0 BETWEEN 1 AND 5", "0"},
			{"SELECT -7 DIV 2", "-3"},
			{"SELECT @@global.wait_timeout", "28800"},
			{"SELECT NOW() + INTERVAL 99999999 DAY IS NULL", "1"},
		} {
			var got string
			if err := c.QueryRowContext(context.Background(), test.query).Scan(&got); err != nil || got != test.want {
				t.Errorf("%s: %s, %v, want %s", test.query, got, err, test.want)
			}
		}
		if err := c.QueryRowContext(context.Background(), "SELECT 1 LIMIT 0").Scan(new(int)); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("SELECT 1 LIMIT 0: %v", err)
		}
	})
}

// TestLike: patterns of LIKE.
func TestLike(t *testing.T) {
	for pattern, want := range map[string]bool{
		"wait_timeout": true, "WAIT%": true, "%time%": true, "%t%t": true, "wait_timeou_": true, "%": true, "%%": true,
		`%t\_t%`: true, `wait\_`: false,
		"wait": false, "%x": false, "_wait_timeout": false, "wait_timeout_": false, "": false, "%t%x%": false,
	} {
		if folding.Like("wait_timeout", pattern) != want {
			t.Errorf("%q: %v", pattern, !want)
		}
	}
}

// TestKillItself: a session that kills itself gets an error, and ends.
func TestKillItself(t *testing.T) {
	s := run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		s.must(c, "DO GET_LOCK('a', 0)")
		if n := attempt(c, "KILL QUERY CONNECTION_ID()"); n != 1317 {
			t.Errorf("error %d of KILL QUERY", n)
		}
		s.must(c, "DO 1")
		if n := attempt(c, "KILL CONNECTION_ID()"); n != 1927 {
			t.Errorf("error %d of KILL", n)
		}
		if n := attempt(c, "DO 1"); n != -1 {
			t.Errorf("error %d of a session that has ended", n)
		}
	})
	s.wantTold("mysql1", "session-opened", "created named lock a connection 1", "session-closed", "deleted named lock a connection 1")
}

// TestSysdate: SYSDATE() is the present time, and NOW() that at which the statement began.
func TestSysdate(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		var slept int
		var waited, stood string
		c := s.session(s.cluster.Address())
		if err := c.QueryRowContext(context.Background(), "SELECT SLEEP(2), TIMESTAMPDIFF(SECOND, NOW(6), SYSDATE(6)), NOW(6) = NOW(6)").Scan(&slept, &waited, &stood); err != nil {
			t.Fatal(err)
		}
		if waited != "2" || stood != "1" {
			t.Errorf("SYSDATE() is %s s after NOW(), and NOW() stands: %s", waited, stood)
		}
	})
}

// TestLongData: a parameter that the client sends in parts is put together.
func TestLongData(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		config := mysql.NewConfig()
		config.User, config.Net, config.Addr, config.DBName, config.MaxAllowedPacket = "root", "tcp", s.cluster.Address(), "test", 400
		config.DialFunc = dialer(s.process)
		connector, err := mysql.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		s.ends = append(s.ends, db.Close)
		long := strings.Repeat("0123456789", 100)
		for range 2 { // what was sent for one execution is not for the next
			var got, other string
			if err := db.QueryRowContext(context.Background(), "SELECT CONCAT(?, 'x'), ?", long, "short").Scan(&got, &other); err != nil {
				t.Fatal(err)
			}
			if got != long+"x" || other != "short" {
				t.Errorf("%d bytes came, and %q", len(got), other)
			}
		}
		if d := time.Since(s.began); d > time.Second {
			t.Errorf("it took %v", d)
		}
	})
}
