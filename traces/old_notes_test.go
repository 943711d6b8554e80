package traces_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// TestOldKinds: traces from before there were notes are told and drawn as those of today.
func TestOldKinds(t *testing.T) {
	for name, now := range map[string]*traces.Trace{ // unordered: independent
		"double-grant": sampletraces.DoubleGrant(), "deadlock": sampletraces.Deadlock(),
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "old", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		old, err := traces.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for i := range old.History.Observations {
			was, is := &old.History.Observations[i], &now.History.Observations[i]
			if was.Event() != is.Event() || (was.Note == nil) != (is.Note == nil) || was.Note != nil && was.Note.String() != is.Note.String() {
				t.Errorf("%s: observation %d is read as %v, want %v", name, i, was, is)
			}
		}
		if got, want := shown(t, old), shown(t, now); got != want {
			t.Errorf("%s is shown as\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestOldKindsRefused: an observation of an old kind is complete.
func TestOldKindsRefused(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "old", "double-grant.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, damaged, words string }{
		{`"watch":{"key":"/lock/n-0000000000"}`, `"watch":{"key":""}`, "what is watched is missing"},
		{`"session":"0x300000000000001"`, `"session":""`, "the note's subject is missing"},
		{`"kind":"session-opened"`, `"kind":"session-opened","moon":1`, "has no field \"moon\""},
	} {
		if !strings.Contains(string(data), c.old) {
			t.Fatalf("the trace has no %s", c.old)
		}
		refuse(t, strings.Replace(string(data), c.old, c.damaged, 1), c.words)
	}
}

// shown is a trace as a text and as a picture.
func shown(t *testing.T, tr *traces.Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.Explain(&b, tr, render.Style{}); err != nil {
		t.Fatal(err)
	}
	if err := render.Draw(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
