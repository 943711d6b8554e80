package teststore_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// overdue checks that the steps and the picture show an event that only this store has,
// in the store's words.
func overdue(t *testing.T, f locktest.Finding) {
	t.Helper()
	var text, picture strings.Builder
	if err := render.Explain(&text, f.Trace, render.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := render.Draw(&picture, f.Trace); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`desk  keeps c\d's coat, which is overdue`).MatchString(text.String()) {
		t.Errorf("%s: no step says that the coat is overdue:\n%s", f.Property, &text)
	}
	if !strings.Contains(picture.String(), "overdue<") {
		t.Errorf("%s: the picture has no coat", f.Property)
	}
}
