package simpostgres

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// reads returns the names of the columns that SELECT * has, as a text that is sent anew, and the answer to the prepared
// statement "all" with the same text.
func (s *stage) reads(c *pgx.Conn) (columns, prepared string) {
	s.t.Helper()
	ctx := context.Background()
	results, err := c.PgConn().Exec(ctx, "SELECT * FROM t").ReadAll()
	if err != nil {
		return err.Error(), ""
	}
	var names []string
	for _, f := range results[0].FieldDescriptions {
		names = append(names, f.Name)
	}
	return strings.Join(names, " "), s.executes(c)
}

// executes executes the prepared statement "all".
func (s *stage) executes(c *pgx.Conn) string {
	r := c.PgConn().ExecPrepared(context.Background(), "all", nil, nil, nil).Read()
	if r.Err == nil {
		return strings.TrimSpace(strings.Repeat("? ", len(r.Rows[0])))
	}
	return r.Err.Error()
}

// prepares connects, and prepares the statement "all".
func (s *stage) prepares(address string) *pgx.Conn {
	c := s.session(address)
	if _, err := c.Prepare(context.Background(), "all", "SELECT * FROM t"); err != nil {
		s.t.Error(err)
	}
	return c
}

const changedType = "ERROR: cached plan must not change result type (SQLSTATE 0A000)"

func (s *stage) wantReads(c *pgx.Conn, when, columns, prepared string) {
	s.t.Helper()
	if have, executed := s.reads(c); have != columns || executed != prepared {
		s.t.Errorf("%s: SELECT * has %q, and prepared %q; want %q and %q", when, have, executed, columns, prepared)
	}
}

// TestPlansOfStandby: statements on a standby are analysed again when it has replayed a definition.
func TestPlansOfStandby(t *testing.T) {
	perform(t, Options{Replicas: 1}, func(s *stage) {
		c, standby := s.session(s.cluster.Address()), s.prepares(s.cluster.Nodes()[1].Address())
		s.wantReads(standby, "at first", "id v", "? ?")
		s.must(c, "ALTER TABLE t ADD COLUMN x int")
		s.until(0)
		s.wantReads(standby, "after ADD COLUMN", "id v x", changedType)
		s.must(c, "BEGIN", "ALTER TABLE t ADD COLUMN y int", "ROLLBACK", "INSERT INTO t VALUES (2, 2, 2)")
		s.until(1)
		s.wantReads(standby, "after ROLLBACK", "id v x", changedType)
		s.must(c, "ALTER TABLE t DROP COLUMN x")
		s.until(2)
		s.wantReads(standby, "after DROP COLUMN", "id v", "? ?")
		s.must(c, "BEGIN", "DROP TABLE t", "CREATE TABLE t (v int, name text)", "INSERT INTO t VALUES (1, 'a')", "COMMIT")
		s.until(3)
		s.wantReads(standby, "after CREATE TABLE", "v name", changedType)
		if got := attempt(standby, "SELECT * FROM t WHERE id = 1"); got != "42703" {
			t.Errorf("a column of the old table: %s", got)
		}
		s.must(c, "DROP TABLE t")
		s.until(4)
		const gone = `ERROR: relation "t" does not exist (SQLSTATE 42P01)`
		if have, _ := s.reads(standby); have != gone {
			t.Errorf("after DROP TABLE: %q", have)
		}
		if got := s.executes(standby); got != gone {
			t.Errorf("after DROP TABLE: the prepared statement: %q", got)
		}
		_ = c.Close(context.Background())
		_ = standby.Close(context.Background())
	})
}

// TestPlansAfterFailover: a new primary, and an old one that follows it, know no definitions that were lost.
func TestPlansAfterFailover(t *testing.T) {
	cut := func(s *stage) { s.world.Network().Cut(s.cluster.Nodes()[0].Actor, s.cluster.Nodes()[1].Actor) }
	promote := func(s *stage) {
		if err := s.cluster.Promote(s.cluster.Nodes()[1]); err != nil {
			s.t.Error(err)
		}
	}
	rejoin := func(s *stage) {
		s.world.Network().Heal(s.cluster.Nodes()[0].Actor, s.cluster.Nodes()[1].Actor)
		if err := s.cluster.Rejoin(s.cluster.Nodes()[0]); err != nil {
			s.t.Error(err)
		}
	}
	perform(t, Options{Replicas: 1}, func(s *stage) {
		nodes := s.cluster.Nodes()
		old, standby := s.prepares(nodes[0].Address()), s.prepares(nodes[1].Address())
		s.wantReads(old, "at first", "id v", "? ?")
		s.wantReads(standby, "at first", "id v", "? ?")
		s.until(1) // cut off
		s.must(old, "ALTER TABLE t ADD COLUMN x int")
		s.wantReads(old, "with the definition that is lost", "id v x", changedType)
		s.wantReads(standby, "without it", "id v", "? ?")
		s.until(2) // promoted
		s.must(standby, "INSERT INTO t VALUES (2, 2)", "ALTER TABLE t ADD COLUMN y int")
		s.wantReads(standby, "as a primary", "id v y", changedType)
		s.until(4) // the old one follows
		if got := attempt(old, "SELECT 1"); got != "lost" {
			t.Errorf("the old primary's client: %s", got)
		}
		old = s.prepares(nodes[0].Address())
		s.wantReads(old, "the old primary as a standby", "id v y", "? ? ?")
		s.must(standby, "ALTER TABLE t DROP COLUMN y")
		s.until(5)
		s.wantReads(old, "the old primary, replaying", "id v", changedType)
		_ = old.Close(context.Background())
		_ = standby.Close(context.Background())
	}, cut, promote, rejoin)
}

// TestPlansAfterCrash: a definition that was not committed when the server crashed is not there after that, and one that was is.
func TestPlansAfterCrash(t *testing.T) {
	perform(t, Options{}, func(s *stage) {
		one, two := s.prepares(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(two, "CREATE TABLE other (a int)", "INSERT INTO other VALUES (1)")
		s.wantReads(one, "at first", "id v", "? ?")
		s.must(one, "ALTER TABLE t ADD COLUMN x int")
		s.must(two, "SELECT * FROM other")
		s.must(two, "BEGIN", "ALTER TABLE other ADD COLUMN b int", "SELECT b FROM other")
		s.until(2)
		c := s.prepares(s.cluster.Address())
		s.wantReads(c, "after the crash", "id v x", "? ? ?")
		if got := attempt(c, "SELECT b FROM other"); got != "42703" {
			t.Errorf("a column that was not committed: %s", got)
		}
		s.must(c, "ALTER TABLE t DROP COLUMN x") // definitions count again
		s.wantReads(c, "after DROP COLUMN", "id v", changedType)
		_ = c.Close(context.Background())
	}, func(s *stage) { s.cluster.Primary().Crash() }, func(s *stage) {
		if err := s.cluster.Restart(s.cluster.Primary()); err != nil {
			t.Error(err)
		}
	})
}
