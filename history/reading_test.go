package history

import (
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// TestReading: to write a history and read it again does not make a legal one
// of an illegal one, whatever its stamps; nor the other way about if no stamps
// are equal, or if uncertainty makes what touches concurrent, as porcupine takes
// it.
func TestReading(t *testing.T) {
	for _, kind := range model.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			read := 0
			rapid.Check(t, func(t *rapid.T) {
				spec := histories.Spec(t, kind)
				calls := histories.Any(spec, 6).Draw(t, "calls")
				text := written(t, &History{Calls: calls})
				exact, err := Read(Options{}, Input{Reader: strings.NewReader(text)})
				if err != nil {
					return // one thread calls twice at a time
				}
				read++
				want, got := legal(spec, calls), legal(spec, exact.Calls)
				if got && !want || exact.Shared == 0 && got != want {
					t.Fatalf("%s\nread as\n%s\nlegal: %v, and as read: %v", text, histories.Text(exact.Calls), want, got)
				}
				if slices.ContainsFunc(calls, func(c model.Call) bool { return c.Until != 0 || c.Queued != 0 || c.QueuedFrom != 0 }) {
					return // these bounds become uncertain as well
				}
				if crashTouches(calls) {
					return // what comes first is known of one client, and not by the stamps
				}
				loose, err := Read(Options{Uncertainty: 1}, Input{Reader: strings.NewReader(text)})
				if err != nil {
					t.Fatal(err)
				}
				if got := legal(spec, loose.Calls); got != want {
					t.Fatalf("%s\nread with uncertainty as\n%s\nlegal: %v, and as read: %v", text, histories.Text(loose.Calls), want, got)
				}
			})
			if read == 0 {
				t.Error("no history was read")
			}
		})
	}
}

// crashTouches reports whether a client crashes at the very stamp at which another
// of its calls begins or returns.
func crashTouches(calls []model.Call) bool {
	return slices.ContainsFunc(calls, func(c model.Call) bool {
		return c.Op == model.Crash && slices.ContainsFunc(calls, func(o model.Call) bool {
			return o.ID != c.ID && o.Client == c.Client && (o.Call == c.Call || o.Return == c.Call)
		})
	})
}

func legal(spec model.Spec, calls []model.Call) bool {
	return porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls))
}
