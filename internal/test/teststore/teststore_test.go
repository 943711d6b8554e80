package teststore_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/internal/test/teststore"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// TestSoundLock: nothing is a fault of the sound lock, in every scenario that applies;
// and those that do not, say why.
func TestSoundLock(t *testing.T) {
	slowtest.SkipIfShort(t)
	r := locktest.Explore(t, teststore.Take, locktest.On(teststore.Store), locktest.Runs(runs()))
	for _, f := range r.Findings {
		if !f.Limit {
			t.Errorf("%s: %s: %s", f.Scenario, f.Property, f.Trace.Verdict().Sentence)
		}
	}
	for _, result := range r.Results {
		t.Log(result.String())
		if !testing.Short() && result.Result == explore.Vacuous {
			t.Errorf("%s is vacuous", result.Scenario)
		}
		if (result.Result == locktest.NotApplicable) != (result.Lacks != "") {
			t.Errorf("%s: %s, because %q", result.Scenario, result.Result, result.Lacks)
		}
	}
}

// runs is how many schedules there are of each scenario.
func runs() int {
	if testing.Short() {
		return 15
	}
	return 400
}

// redis are words of another store.
var redis = regexp.MustCompile(`(?i)redis|\bkeys?\b|primary|replica`)

// TestFlawedLock: the lock that does not look is caught, its counterexamples are made
// small, and the steps and the picture show them in the cloakroom's own words, with an event that only this store has.
func TestFlawedLock(t *testing.T) {
	slowtest.SkipIfShort(t)
	r := locktest.Explore(t, teststore.TakeBlindly, locktest.On(teststore.Store), locktest.Runs(150), locktest.Only("gc-pause", "late-reply", "node-restart"))
	caught, late := 0, 0
	for _, f := range r.Findings {
		if f.Property == checker.OwnerOnlyRelease && !f.Limit {
			caught++
			if small := f.Trace.Shrunk; small == nil || small.To > 2 {
				t.Errorf("%s: it is not small: %+v", f.Scenario, small)
			}
		}
		told(t, f.Trace)
		if f.Scenario == "gc-pause" {
			late++
			overdue(t, f)
		}
	}
	if late == 0 {
		t.Error("nothing was found in gc-pause")
	}
	if caught < 2 {
		t.Errorf("the release that does not look is caught in %d scenarios", caught)
	}
}

// told checks the words of a story and of a page.
func told(t *testing.T, tr *traces.Trace) {
	t.Helper()
	var text, page strings.Builder
	if err := render.Explain(&text, tr, render.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := render.View(&page, tr, ""); err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{text.String(), visible(page.String())} {
		if word := redis.FindString(said); word != "" {
			t.Errorf("%s: %q is of another store: …%s…", tr.Scenario, word, around(said, word))
		}
		for _, want := range []string{"desk", "ticket"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no word of a %s:\n%s", tr.Scenario, want, said)
			}
		}
	}
}

var tags = regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(script|style)>|<[^>]*>`)

// visible is the text of a page, without the keyboard's keys.
func visible(page string) string {
	return strings.ReplaceAll(tags.ReplaceAllString(page, " "), "arrow keys", "")
}

func around(text, word string) string {
	i := strings.Index(text, word)
	return text[max(0, i-60):min(len(text), i+60)]
}
