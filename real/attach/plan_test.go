package attach_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/real/attach"
)

// TestParseFault: the text of a fault is read as it is written, and anything else is refused.
func TestParseFault(t *testing.T) {
	for _, text := range []string{
		"c1 acquire 1, SET lock 1: lose request",
		"c2 release 3, script my: lock 2: lose answer",
		"c1 acquire 1, SET lock changing: delay answer until gone",
		"c1 extend 1, script lock 1: delay request until 3 passed",
		"c1 hold 2: stop client until gone",
		"c1 hold 1: stop client until free",
		"c9 hold 1: kill client",
		"c1 hold 1: fail over",
	} {
		f, err := attach.ParseFault(text)
		if err != nil || f.String() != text {
			t.Errorf("%q is read as %q, %v", text, f, err)
		}
	}
	for _, text := range []string{
		"", "c1", "c1 acquire 1", "c1 acquire 1: lose request", "c1 hold 1: delay answer until gone", "c1 hold 1: stop client", "c1 hold 0: kill client",
		"c1 sleep 1: kill client", "c1 acquire 1, SET lock: lose request", "c1 acquire 1, SET lock 0: lose request", "c1 acquire 1, SET lock 1: lose answer until gone",
		"c1 acquire 1, SET lock 1: stop client until 0 passed", "c1 acquire 1, SET lock changing: lose request", "c1 acquire x, SET lock 1: lose request", "c1 hold 1: burn",
	} {
		if f, err := attach.ParseFault(text); err == nil {
			t.Errorf("%q is read as %q", text, f)
		}
	}
}

// FuzzParseFault: whatever is read is written in a form that is read as the same.
func FuzzParseFault(f *testing.F) {
	f.Add("c1 acquire 1, SET lock 1: delay request until 3 passed")
	f.Add("c1 hold 2: stop client until gone")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := attach.ParseFault(text)
		if err != nil {
			return
		}
		if again, err := attach.ParseFault(first.String()); err != nil || again != first {
			t.Errorf("%q is read as %+v, and %q as %+v, %v", text, first, first.String(), again, err)
		}
	})
}
