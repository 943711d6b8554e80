package simpostgres

import (
	"reflect"
	"testing"

	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
)

// TestKeptTextsAreUnchanged: what clusters share of statements is still what is read anew, after the statements were executed.
func TestKeptTextsAreUnchanged(t *testing.T) {
	statements := []string{
		"CREATE TABLE kept (id serial PRIMARY KEY, v int DEFAULT 1 CHECK (v > 0), w text UNIQUE, parent int REFERENCES t)",
		"INSERT INTO kept (v, w, parent) VALUES (1, 'a', 1), (2, 'b', NULL) ON CONFLICT (w) DO UPDATE SET v = excluded.v RETURNING *",
		"UPDATE kept k SET v = k.v + 1 FROM t WHERE t.id = k.parent",
		"WITH x AS (SELECT id, row_number() OVER () AS n FROM kept) SELECT * FROM x JOIN kept USING (id) WHERE n > 0 ORDER BY 1 DESC LIMIT 1 FOR UPDATE OF kept",
		"ALTER TABLE kept ADD COLUMN z int NOT NULL DEFAULT 3, ALTER COLUMN v DROP DEFAULT", "SELECT * FROM kept WHERE z = 3",
		"DELETE FROM kept WHERE id IN (SELECT id FROM kept)", "DROP TABLE kept", "SELECT nosuch",
	}
	for range 2 {
		perform(t, Options{}, func(s *stage) {
			c := s.session(s.cluster.Address())
			s.must(c, statements[:len(statements)-1]...)
			if got := attempt(c, statements[len(statements)-1]); got != "42703" {
				t.Errorf("%s: %s", statements[len(statements)-1], got)
			}
		})
	}
	for _, text := range statements {
		kept, ok := texts.get(text)
		if !ok {
			t.Errorf("%q is not kept", text)
		}
		if list, err := syntax.Parse(text); !reflect.DeepEqual(parsed{list, err}, kept) {
			t.Errorf("%q is not what it was", text)
		}
	}
}
