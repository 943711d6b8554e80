package locktest_test

import (
	"reflect"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestRecordedParameters: a case that was shrunk until it needs no replica and no failover
// is replayed without them, though the scenario has both.
func TestRecordedParameters(t *testing.T) {
	c := cells.Of(t, "storm", "setpx")
	c.Params.Faults, c.Params.Followers = nil, 0
	if err := c.Set("pauses", "1"); err != nil {
		t.Fatal(err)
	}
	again, err := locktest.Recorded(c.Lock, &traces.Trace{Scenario: "storm", Lock: "another name", Parameters: c.Parameters()})
	if err != nil || !reflect.DeepEqual(again.Params, c.Params) {
		t.Errorf("%+v becomes %+v, %v", c.Params, again.Params, err)
	}
}
