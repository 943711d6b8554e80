package builtin_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/claims"
	"github.com/lockpick-dev/lockpick/mysql/builtin"
)

// lockTypes are the types of packages sqllocks and flawed with the lock that is made of each.
var lockTypes = map[string]string{
	"Unique": "db-unique", "Lease": "db-unique-lease", "Row": "db-row", "Table": "db-table", "Named": "db-named", "Pooled": "db-named-pooled",
	"PessimisticStock": "db-pessimistic", "OptimisticStock": "db-optimistic", "PrintedStock": "db-optimistic-as-printed",
	"ValueLease": "db-optimistic-no-version", "NotedRow": "db-row-noted", "RetriedRow": "db-row-retried",
	"AutocommitRow": "db-row-autocommit",
}

// TestComments: what a lock's comment says in parentheses of scenarios and properties is what is
// expected there.
func TestComments(t *testing.T) {
	const dir = "../sqllocks"
	comments, _ := claims.Comments(t, dir)
	flawed, _ := claims.Comments(t, dir+"/flawed")
	maps.Copy(comments, flawed)
	var covered []string
	for name, id := range lockTypes {
		covered = append(covered, id)
		if comments[name] == "" {
			t.Errorf("%s has no comment", name)
		}
		claims.Check(t, builtin.Families(), name, comments[name], []string{id})
	}
	for _, l := range builtin.Locks() {
		if !slices.Contains(covered, l.ID) {
			t.Errorf("%s is of no type of sqllocks", l.ID)
		}
	}
}
