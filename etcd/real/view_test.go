package real

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestView: keys below the lock's name are a queue in the order of their creation, and a key with the name is no queue.
func TestView(t *testing.T) {
	view := store{}.View("lock", []string{"lock/32", "lock/31"})
	if view == nil {
		t.Fatal("no queue")
	}
	shares, err := view.Shares([]model.Record{{Key: "lock/31", Revision: 8}, {Key: "lock/32", Revision: 7}})
	if err != nil || len(shares) != 1 || shares[0].Key != "lock/32" {
		t.Errorf("%v, %v", shares, err)
	}
	if view := (store{}).View("lock", []string{"/locks/lock"}); view != nil {
		t.Errorf("a single key is %v", view)
	}
}
