package locktest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/traces"
)

// TestSubjects: locks of other kinds than a mutex are caught.
func TestSubjects(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	out, passed := u.test(t, "^TestReadWrite$")
	if passed {
		t.Errorf("readers beside a writer pass\n%s", out)
	}
	says(t, out, "mutual-exclusion is violated: TestReadWrite under contention", "-simrun.replay=testdata/simrun/TestReadWrite/contention_mutual-exclusion.json")
	out, passed = u.test(t, "^TestSemaphore$")
	if passed {
		t.Errorf("a permit too many passes\n%s", out)
	}
	says(t, out, "found: ", "permits")
	out, passed = u.test(t, "^TestNoConstructor$")
	if passed {
		t.Errorf("a latch without a constructor passes\n%s", out)
	}
	says(t, out, "lockpick: lock TestNoConstructor: its constructor is nil")
}

// TestWith: a user's scenario with a user's fault finds the lock that it breaks. What it finds is
// shrunk, told in the fault's words, kept, and replayed. A sound lock survives it.
func TestWith(t *testing.T) {
	slowtest.SkipIfShort(t)
	u := newUser(t)
	out, passed := u.test(t, "^TestNapping$", "-test.v")
	if passed {
		t.Fatalf("the naive lock passes\n%s", out)
	}
	const kept = "testdata/simrun/TestNapping/napping_owner-only-release.json"
	says(t, out, "owner-only-release is violated: TestNapping under napping", "needs   c", " takes a nap at ", "-simrun.replay="+kept)
	if strings.Contains(out, "--- FAIL: TestNapping/contention") {
		t.Errorf("nothing is wrong in contention\n%s", out)
	}
	tr, err := traces.ReadFile(filepath.Join(u.dir, kept))
	if err != nil || tr.Shrunk == nil || tr.Parameters[len(tr.Parameters)-1] != (traces.Parameter{Name: "naps", Value: "1"}) {
		t.Errorf("the kept case: %v, %+v", err, tr)
	}
	out, passed = u.test(t, "^TestNapping$/^napping$", "-simrun.replay="+kept)
	if passed {
		t.Errorf("the replay passes\n%s", out)
	}
	says(t, out, "owner-only-release is violated: TestNapping under napping", "replayed from "+kept)
	if err := os.RemoveAll(filepath.Join(u.dir, filepath.Dir(kept))); err != nil {
		t.Error(err)
	}
	if out, passed = u.test(t, "^TestSoundNapping$", "-test.v"); !passed {
		t.Errorf("the sound lock fails\n%s", out)
	}
	says(t, out, "--- PASS: TestSoundNapping/napping", "napping: violation, 200 schedules")
	out, passed = u.test(t, "^TestTakenNames$")
	if passed {
		t.Errorf("names that are taken pass\n%s", out)
	}
	says(t, out, `scenario "gc-pause": Lockpick has a scenario with this ID: choose another`, `scenario "napping": two scenarios have this ID: choose another for one of them`)
}
