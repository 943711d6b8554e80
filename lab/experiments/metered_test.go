package experiments

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Servers count requests by the names that their stores have for them, once each, and take the
// time that a plan says: for a replicated log followers, too.
func TestServersTakeTheirTime(t *testing.T) {
	const slow = 7 * time.Millisecond
	tests := []struct {
		lock, slow string
		each       []string // requests of an acquisition and its release, but for the slow one
		peer       string   // who takes part besides; empty for nobody
	}{
		{"zookeeper", "create", []string{"delete"}, "zk2"},
		{"zookeeper", stage.Peer, []string{"delete"}, "zk2"},
		{"db-row", "SELECT ... FOR UPDATE", []string{"BEGIN", "COMMIT"}, ""},
		{"db-named", "GET_LOCK", []string{"RELEASE_LOCK"}, ""},
		{"db-unique", "INSERT", []string{"DELETE"}, ""},
	}
	for _, test := range tests {
		t.Run(test.lock+", "+test.slow, func(t *testing.T) {
			l, err := scenarios.Registry(program()).Lock(test.lock)
			if err != nil {
				t.Fatal(err)
			}
			s, calm := alone(t, l, test.slow, slow), alone(t, l, "", 0)
			took, without := wait(0.5)(s), wait(0.5)(calm)
			if took < without+0.9*lab.Milliseconds(slow) {
				t.Errorf("an acquisition takes %.1f ms, without it %.1f ms", took, without)
			}
			n := s.Count(lab.Acquired)
			for _, name := range append(test.each, test.slow) {
				served := 0
				for node := range s.Requests { // unordered: a sum
					served += s.Served(node, name)
				}
				if name != stage.Peer && (served < n || served > n+2) {
					t.Errorf("%d acquisitions have made %d requests %s: %v", n, served, name, s.Requests)
				}
			}
			if test.peer != "" && s.Served(test.peer, stage.Peer) < 2*n {
				t.Errorf("%s has served %v in %d acquisitions", test.peer, s.Requests[test.peer], n)
			}
		})
	}
}

// alone is a run of one client, with one kind of request that takes long.
func alone(t *testing.T, l cell.Lock, request string, d time.Duration) *lab.Sample {
	t.Helper()
	plan := contention{lock: l, clients: 1, hold: 20 * time.Millisecond, pause: time.Millisecond, lease: time.Minute, warmUp: time.Second, lasts: time.Second}.plan()
	plan.Costs = lab.Costs{request: d}
	s, _, err := lab.Run(plan, lab.Tape(1), false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
