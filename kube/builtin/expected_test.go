package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/kube/builtin"
	"github.com/lockpick-dev/lockpick/storetest"
)

// TestExpected: searches find what is expected of the locks, and nothing else.
func TestExpected(t *testing.T) {
	slowtest.SkipIfShort(t)
	storetest.Expectations(t, builtin.Locks(), builtin.Families(), 100)
}
