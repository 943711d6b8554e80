package explore

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestGuess: what differs shows where it comes from.
func TestGuess(t *testing.T) {
	event := func(actor string, at time.Duration, payload string) sim.Event {
		return sim.Event{Kind: sim.EventDeliver, Actor: actor, At: at, Payload: []byte(payload)}
	}
	uuid, other := "SET k 3f2b8c1e-9a4d-4e6b-8f21-0c5d7e9a1b2c", "SET k a1b2c3d4-0000-4e6b-8f21-0c5d7e9a1b2c"
	for _, test := range []struct {
		name string
		a, b []sim.Event
		want string
	}{
		{"a token", []sim.Event{event("n1", 1, uuid)}, []sim.Event{event("n1", 1, other)}, "; a token differs, 3f2b8c1e-"},
		{"a UUID of version 7", []sim.Event{event("n1", 1, "SET k 00dc6b06-a04a-79cf-9977-a7a932470f1f")}, []sim.Event{event("n1", 1, "SET k 00dc6acf-ac00-7004-9977-a7a932470f1f")}, "; a UUID that has a time differs, 00dc6b06-"},
		{"a number", []sim.Event{event("n1", 1, "SET k 17")}, []sim.Event{event("n1", 1, "SET k 4711")}, "; a number differs, 17 and 4711"},
		{"an order", []sim.Event{event("n1", 1, "GET a"), event("n1", 2, "GET b")}, []sim.Event{event("n1", 1, "GET b"), event("n1", 2, "GET a")}, "; the same things happen in another order"},
		{"a time", []sim.Event{event("n1", 1, "GET a")}, []sim.Event{event("n1", 2, "GET a")}, "; the times differ"},
		{"nothing", []sim.Event{event("n1", 1, "GET a")}, []sim.Event{event("n1", 1, "GET a")}, ""},
		{"other words", []sim.Event{event("n1", 1, "GET a")}, []sim.Event{event("n1", 1, "DEL a")}, ""},
	} {
		if got := guess(test.a, test.b); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: guessed %q, want %q", test.name, got, test.want)
		}
	}
}
