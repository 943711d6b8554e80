package traces

import (
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// Briefly formats a duration for sentences: [model.Briefly].
func Briefly(d time.Duration) string { return model.Briefly(d) }

// Seconds formats a time of the run in seconds with the given number of decimals, such as "2.0113s".
func Seconds(at time.Duration, decimals int) string {
	return strconv.FormatFloat(at.Seconds(), 'f', decimals, 64) + "s"
}

// Moment formats a time of the run to the microsecond, without trailing zeros beyond the millisecond.
func Moment(at time.Duration) string {
	s := strings.TrimSuffix(Seconds(at, 6), "s")
	for range 3 {
		s = strings.TrimSuffix(s, "0")
	}
	return s + "s"
}

// quote returns an untrusted text in quotes, clipped to a line.
func quote(s string) string { return `"` + wording.Fit(wording.Printable(s), 60) + `"` }
