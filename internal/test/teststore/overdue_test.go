package teststore_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/teststore"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// TestOwnEvent: an event that this store alone has is told in the steps and drawn in the picture,
// in the store's words.
func TestOwnEvent(t *testing.T) {
	r := locktest.Explore(t, teststore.TakeBlindly, locktest.On(teststore.Store), locktest.Runs(150), locktest.Only("gc-pause"))
	if len(r.Findings) == 0 {
		t.Fatal("nothing was found in gc-pause")
	}
	for _, f := range r.Findings {
		var text, picture strings.Builder
		if err := render.Explain(&text, f.Trace, render.Style{}); err != nil {
			t.Fatal(err)
		}
		if err := render.Draw(&picture, f.Trace); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), "desk  keeps c1's coat, which is overdue") {
			t.Errorf("%s: no step says that the coat is overdue:\n%s", f.Property, &text)
		}
		if !strings.Contains(picture.String(), "overdue<") {
			t.Errorf("%s: the picture has no coat", f.Property)
		}
	}
}
