package real

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestView: sequential znodes are a queue, whose lowest number has the lock, in a directory or not; another znode is none.
func TestView(t *testing.T) {
	for _, two := range [][2]string{{"/lock/b-0000000001", "/lock/a-0000000002"}, {"/lock0000000001", "/lock0000000002"}} {
		view := store{}.View("lock", []string{"/lock", two[1], two[0]})
		if view == nil {
			t.Fatalf("%v: no queue", two)
		}
		shares, err := view.Shares([]model.Record{{Key: "/lock"}, {Key: two[1]}, {Key: two[0]}})
		if two[0] == "/lock0000000001" {
			shares, err = view.Shares([]model.Record{{Key: two[1]}, {Key: two[0]}})
		}
		if err != nil || len(shares) != 1 || shares[0].Key != two[0] {
			t.Errorf("%v: %v, %v", two, shares, err)
		}
	}
	if view := (store{}).View("lock", []string{"/lock"}); view != nil {
		t.Errorf("a single znode is %v", view)
	}
}
