package builtin_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/claims"
	"github.com/lockpick-dev/lockpick/stores/file/builtin"
)

// lockTypes are the types of packages filelocks and flawed with the locks that are made of each.
var lockTypes = map[string][]string{
	"Exclusive": {"file-excl"}, "Flock": {"file-flock"}, "Stale": {"file-excl-stale", "file-excl-rename"}, "Deaf": {"file-flock-deaf"},
}

// TestComments: what a lock's comment says in parentheses of scenarios and properties is what is
// expected there.
func TestComments(t *testing.T) {
	const dir = "../../../lock/filelocks"
	comments, _ := claims.Comments(t, dir)
	flawed, _ := claims.Comments(t, dir+"/flawed")
	maps.Copy(comments, flawed)
	var covered []string
	for name, ids := range lockTypes {
		covered = append(covered, ids...)
		if comments[name] == "" {
			t.Errorf("%s has no comment", name)
		}
		claims.Check(t, builtin.Families(), name, comments[name], ids)
	}
	for _, l := range builtin.Locks() {
		if !slices.Contains(covered, l.ID) {
			t.Errorf("%s is of no type of filelocks", l.ID)
		}
	}
}
