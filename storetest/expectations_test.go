package storetest

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/internal/test/teststore"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

func TestMain(m *testing.M) { Suite{Locks: teststore.Locks()}.Main(m) }

// TestExpectations: a search that finds what it must and may is as expected, and each difference has a sentence.
func TestExpectations(t *testing.T) {
	slowtest.SkipIfShort(t)
	all := []string{checker.MutualExclusion, checker.Linearizable, checker.NoLostUpdate, checker.OwnerOnlyRelease, checker.LeaseHonesty, checker.TruthfulRelease, checker.TruthfulAcquire}
	may := expect.All(expect.Either(expect.Faults(all...)), expect.Limits(expect.Faults(checker.Overrun)))
	blind := func(must, may []model.Violation) []expect.Family {
		return []expect.Family{{Title: "T", Expectations: []expect.Expectations{{Lock: "cloakroom-blind", Reason: "Because.", In: []expect.Expectation{{Scenario: "gc-pause", Must: must, May: may}}}}}}
	}
	w, err := worker()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		families []expect.Family
		want     string // part of the first sentence; empty if all is as expected
	}{
		{"as expected", blind(expect.Faults(checker.OwnerOnlyRelease), may), ""},
		{"not allowed", blind(nil, expect.Limits(may)), "is violated as a fault"},
		{"not found", blind(expect.Faults(checker.Progress), may), "progress as a fault was not found"},
		{"no locks", nil, "no scenario applies"},
	} {
		t.Run(test.name, func(t *testing.T) {
			unlike, err := differences(t.Context(), w, teststore.Locks(), test.families, 20, []string{"gc-pause"})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(unlike, "\n"); !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if _, err := differences(t.Context(), w, teststore.Locks(), nil, 20, []string{"no-such"}); err == nil {
		t.Error("an unknown scenario is no error")
	}
}
