package explore

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// guess guesses the source of the first difference between the events of two runs, and suggests a remedy. It returns ""
// if it has no guess.
func guess(a, b []sim.Event) string {
	at := 0
	for at < min(len(a), len(b)) && reflect.DeepEqual(a[at], b[at]) {
		at++
	}
	if at == min(len(a), len(b)) {
		return ""
	}
	x, y := a[at], b[at]
	switch {
	case later(b[at:], x) && later(a[at:], y):
		return "; the same things happen in another order: it depends on the scheduler, as that of goroutines that go on at one instant, or on addresses in memory, " +
			"as that of a map of pointers: let one of them wait for the other, or sort them"
	case x.Kind == y.Kind && x.Actor == y.Actor && x.Peer == y.Peer && !bytes.Equal(x.Payload, y.Payload):
		return guessBytes(x.Payload, y.Payload)
	case x.Kind == y.Kind && x.Actor == y.Actor && x.Peer == y.Peer && x.At != y.At:
		return "; the times differ: a wait depends on a random source that the run does not seed, on the real clock, or on what earlier runs have left in " +
			"variables of a package: take random numbers from c.Rand() and time from c.Clock(), or keep the state in the client"
	}
	return ""
}

// later reports whether one of the events equals the given one, except for its place in
// the log.
func later(events []sim.Event, e sim.Event) bool {
	return slices.ContainsFunc(events[1:], func(o sim.Event) bool {
		return o.Kind == e.Kind && o.Actor == e.Actor && o.Peer == e.Peer && o.Detail == e.Detail && bytes.Equal(o.Payload, e.Payload)
	})
}

// token matches text that looks like random bytes, in hexadecimal, as a UUID or in base 64; digits matches text that
// looks like a number.
var (
	token  = regexp.MustCompile(`[0-9A-Za-z+/_-]{12,}={0,2}`)
	digits = regexp.MustCompile(`[0-9]+`)
	dated  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[167][0-9a-f]{3}-`) // a UUID with a time
)

// guessBytes guesses the source of a difference of bytes: a number or a token, if the rest is alike.
func guessBytes(a, b []byte) string {
	if n, other, only := onlyIn(digits, a, b); only {
		return fmt.Sprintf("; a number differs, %s and %s: of the real clock, a process's number, or a count that goes on from run to run: take time from c.Clock(), "+
			"and count in the client, not in a variable of the package", n, other)
	}
	n, other, only := onlyIn(token, a, b)
	if !only {
		return ""
	}
	if dated.Match(n) && dated.Match(other) {
		return fmt.Sprintf("; a UUID that has a time differs, %s and %s: its library, such as google/uuid, keeps the time of the last one from run to run: use uuid.New, or make it from c.Rand()", n, other)
	}
	text := fmt.Sprintf("; a token differs, %s and %s: it comes from a random source that the run does not seed", n, other)
	if !testing.Testing() {
		return text + ", such as crypto/rand.Reader that a package like google/uuid has kept: link the program with -ldflags \"-X testing.testBinary=1\", or take it from c.Rand()"
	}
	return text + ", such as one that a package has seeded at its start: take it from c.Rand(), or add a function to sim.Seeders that seeds it"
}

// onlyIn reports whether two texts differ only in matches of a pattern, and returns the first different matches.
func onlyIn(pattern *regexp.Regexp, a, b []byte) (in, other []byte, only bool) {
	if !bytes.Equal(pattern.ReplaceAll(a, nil), pattern.ReplaceAll(b, nil)) {
		return nil, nil, false
	}
	first, second := pattern.FindAll(a, -1), pattern.FindAll(b, -1)
	for i := range min(len(first), len(second)) {
		if !bytes.Equal(first[i], second[i]) {
			return first[i], second[i], len(first) == len(second)
		}
	}
	return nil, nil, false
}
