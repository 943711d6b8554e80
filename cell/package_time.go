package cell

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// packageTimeIn says which time in a run comes from package time; it is empty if none does. Ahead is a run of the same
// tape in which package time is ahead of all clocks. A time in nanoseconds within a token does not count: it makes the
// token unique, and nobody compares it with a clock.
func packageTimeIn(now, ahead *explore.Recording) string {
	for i := range min(len(now.History.Operations), len(ahead.History.Operations)) {
		a, b := &now.History.Operations[i], &ahead.History.Operations[i]
		if a.Kind == model.Acquire && b.Until-a.Until > packageAhead/2 {
			return "the end of the lease by which the lock's clients go"
		}
	}
	for i := range min(len(now.History.Observations), len(ahead.History.Observations)) {
		a, b := &now.History.Observations[i], &ahead.History.Observations[i]
		if a.Key == b.Key && b.ExpiresAt-a.ExpiresAt > packageAhead/2 {
			return "the end of " + a.Key + " that the lock sends to the store"
		}
	}
	for i := range min(len(now.Events), len(ahead.Events)) {
		if text := timeIn(string(now.Events[i].Payload), string(ahead.Events[i].Payload)); text != "" {
			return fmt.Sprintf("%s in what the lock sends", text)
		}
	}
	return ""
}

var (
	numbers = regexp.MustCompile(`[0-9]+`)
	words   = regexp.MustCompile(`[^\s"']+`)
	dates   = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}`)
)

// timeIn returns the first time in a payload that is later in the other payload by as much as package time is ahead: a
// number in seconds, milliseconds or microseconds, a word that is a number in nanoseconds, or a date.
func timeIn(now, ahead string) string {
	if now == ahead {
		return ""
	}
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if text := later(numbers, now, ahead, unit); text != "" {
			return text
		}
	}
	if text := later(words, now, ahead, time.Nanosecond); text != "" {
		return text
	}
	one, other := dates.FindAllString(now, -1), dates.FindAllString(ahead, -1)
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			return one[i]
		}
	}
	return ""
}

// later returns the first number among the parts that is later in the other payload by packageAhead, in a unit.
func later(parts *regexp.Regexp, now, ahead string, unit time.Duration) string {
	one, other := parts.FindAllString(now, -1), parts.FindAllString(ahead, -1)
	for i := range min(len(one), len(other)) {
		a, errA := strconv.ParseInt(one[i], 10, 64)
		b, errB := strconv.ParseInt(other[i], 10, 64)
		if errA == nil && errB == nil && a > 0 && b-a == int64(packageAhead/unit) {
			return one[i]
		}
	}
	return ""
}
