package confirm

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestOutcome: it counts what tries showed.
func TestOutcome(t *testing.T) {
	o := Outcome{Diverged: map[string]int{}, OtherCauses: map[string]int{}, Result: Confirmed}
	for _, try := range []*Try{{Confirmed: true, Server: "server 1"}, {Diverged: &Divergence{Seq: 7, Reason: "waited"}, Server: "server 1"}, {Other: "fencing: holds", Server: "server 1"}} {
		o.add(try)
	}
	var b strings.Builder
	o.Print(&b, &traces.Trace{Scenario: "s", Property: "fencing", Verdicts: []model.Verdict{{Property: "fencing", Cause: "store-forgot"}}}, "l")
	want := []string{"confirmed         fencing (store-forgot) of l under s on server 1: 1 of 3 tries, 0.0s each", "  1 times: diverged at event 7: waited", "  1 times: fencing: holds", ""}
	if got := strings.Split(b.String(), "\n"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
