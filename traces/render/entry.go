package render

import (
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// entry is a record in a few words: "lock = 9f2c41…", or its key alone if its value is empty.
func entry(key, value string) string { return keyed(shortKey(key), wording.Shorten(value)) }

// keyed is a key with its value, if it has one.
func keyed(key, value string) string {
	if value == "" {
		return key
	}
	return key + " = " + value
}

// shortKey shortens a key. Of a long path it keeps the end, too, which tells the records of one
// directory apart: "/lock/…000003".
func shortKey(key string) string {
	const whole, end = 24, 6
	key = wording.Printable(key)
	n := utf8.RuneCountInString(key)
	switch {
	case !strings.Contains(key, "/"):
		return wording.Shorten(key)
	case n <= whole:
		return key
	}
	return wording.Shorten(key) + string([]rune(key)[n-end:])
}
