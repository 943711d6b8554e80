package confirm_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestWrite: a result is written beside what the trace's file has, or in place of its older one, and not into the file of another run. What
// was not tried is no result.
func TestWrite(t *testing.T) {
	tr := read(t, "gc-pause_setpx_no-lost-update")
	path := filepath.Join(t.TempDir(), "x.json")
	other := traces.Confirmation{Server: "redis-server 8.0.0", Client: "go-redis v9.0.5", Platform: "linux/amd64", Of: 20, When: "2026-01-02T15:04:05Z"}
	tr.Confirm(other)
	if err := traces.WriteFile(path, tr); err != nil {
		t.Fatal(err)
	}
	c := confirmation(t, tr, tr.Lock)
	for _, of := range []int{1, 3} {
		if err := c.Write(path, &confirm.Outcome{Server: "redis-server 7.0.15", Of: of, Confirmed: 1}); err != nil {
			t.Fatal(err)
		}
		got, err := traces.ReadFile(path)
		if err != nil || len(got.Confirmations) != 2 || got.Confirmations[0] != other || got.Confirmations[1].Of != of {
			t.Fatalf("%v %+v", err, got.Confirmations)
		}
		got.Confirmations = tr.Confirmations
		if !reflect.DeepEqual(got, tr) {
			t.Error("the trace has changed beside its results")
		}
	}
	if err := c.Write("no-such-file", &confirm.Outcome{Result: confirm.NotForced}); err != nil {
		t.Error(err)
	}
	another := *tr
	another.Hash = "00"
	c.Trace = &another
	if err := c.Write(path, &confirm.Outcome{Of: 1}); err == nil || !strings.Contains(err.Error(), "has been replaced") {
		t.Errorf("got %v", err)
	}
}
