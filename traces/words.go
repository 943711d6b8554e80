package traces

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/model"
)

// Briefly is a duration as sentences say it: [model.Briefly].
func Briefly(d time.Duration) string { return model.Briefly(d) }

// seconds is a moment of the run, such as "2.0113s".
func seconds(at time.Duration, decimals int) string {
	return strconv.FormatFloat(at.Seconds(), 'f', decimals, 64) + "s"
}

// Moment is a moment of the run to the microsecond, without trailing zeros
// beyond the millisecond.
func Moment(at time.Duration) string {
	s := strings.TrimSuffix(seconds(at, 6), "s")
	for range 3 {
		s = strings.TrimSuffix(s, "0")
	}
	return s + "s"
}

// shorten keeps so much of a value that two of them can be told apart.
func shorten(value string) string {
	const whole, kept = 12, 6
	value = printable(value)
	if utf8.RuneCountInString(value) <= whole {
		return value
	}
	return string([]rune(value)[:kept]) + "…"
}

// cutTo is s in at most n runes, the last of which is an ellipsis if more
// was there.
func cutTo(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:n-1]), " …") + "…"
}

// printable is a text from outside in which nothing moves a cursor, rings a
// bell or reverses the direction of reading.
func printable(s string) string {
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])|0x100, 16)[1:])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// quote is a text from outside in quotes, no longer than a line can bear.
func quote(s string) string { return `"` + cutTo(printable(s), 60) + `"` }

// list is names in a sentence: "c1", "c1 and c2", "c1, c2 and c3".
func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return "nobody"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
