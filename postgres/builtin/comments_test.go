package builtin_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/claims"
	"github.com/lockpick-dev/lockpick/postgres/builtin"
)

// lockTypes are the types of packages pglocks and flawed with the locks that are made of each.
var lockTypes = map[string][]string{
	"Advisory": {"pg-advisory", "pg-advisory-pooler"}, "AdvisoryXact": {"pg-advisory-xact"}, "Row": {"pg-row"}, "Lease": {"pg-lease"}, "Notify": {"pg-notify"},
	"PessimisticStock": {"pg-pessimistic"}, "OptimisticStock": {"pg-optimistic"}, "Queue": {"pg-skip-locked"},
	"PooledAdvisory": {"pg-advisory-pooled"}, "CancelledAdvisory": {"pg-advisory-cancelled"}, "ReturnedAdvisory": {"pg-advisory-conn-returned"},
	"UpsertLease": {"pg-lease-upsert"}, "ReelectedLease": {"pg-election-excluded"}, "ExcludedLease": {"pg-lease-excluded"},
	"ValueLease": {"pg-optimistic-no-version"}, "PrintedStock": {"pg-optimistic-as-printed"}, "UnlockedQueue": {"pg-skip-locked-unlocked"},
}

// TestComments: what a lock's comment says in parentheses of scenarios and properties is what is expected there.
func TestComments(t *testing.T) {
	const dir = "../pglocks"
	comments, _ := claims.Comments(t, dir)
	flawed, _ := claims.Comments(t, dir+"/flawed")
	maps.Copy(comments, flawed)
	var covered []string
	for name, ids := range lockTypes { // unordered: each by itself
		covered = append(covered, ids...)
		if comments[name] == "" {
			t.Errorf("%s has no comment", name)
		}
		claims.Check(t, builtin.Families(), name, comments[name], ids)
	}
	for _, l := range builtin.Locks() {
		if !slices.Contains(covered, l.ID) {
			t.Errorf("%s is of no type of pglocks", l.ID)
		}
	}
}
