package locktest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/locktest/rapidtest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// TestProgramProperty: rapid finds that a rule of a program is broken, shrinks it and tries its variants, and its trace
// is replayed.
func TestProgramProperty(t *testing.T) {
	slowtest.SkipIfShort(t)
	cells.WithOldestGoRedis(t, "what a seed of rapid finds")
	t.Parallel()
	const what = "gc-pause/charge"
	dir := t.TempDir()
	out := userTest(t, dir, what, "-rapid.seed=1", "-rapid.checks=2000")
	story := storyOf(t, out)
	for _, want := range []string{"broken", "The effect charge of alice happened twice", "✓ a charge that is noted first"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q\n%s", want, out)
		}
	}
	const kept = "testdata/simrun/TestPropertyHelper/gc-pause_no-account-is-charged-twice.json"
	again := userTest(t, t.TempDir(), what, "-simrun.replay="+filepath.Join(dir, kept))
	says(t, again, "note        replayed from ")
	if happened, _, _ := strings.Cut(story, "parameters  "); !strings.Contains(again, happened) {
		t.Errorf("the replay prints\n%s\nwant\n%s", again, story)
	}
	rapid.Check(t, rapidtest.ProgramProperty("gc-pause", charge(true)))
}

// TestPropertyOfNoProgram: what is wrong with a program is said before anything is run.
func TestPropertyOfNoProgram(t *testing.T) {
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "rapidtest: the program has no Main") {
			t.Errorf("it says %q", said)
		}
	}()
	rapidtest.ProgramProperty("gc-pause", locktest.Program{Stores: []locktest.Store{redisstore.Store}, Rules: charge(true).Rules})
}
