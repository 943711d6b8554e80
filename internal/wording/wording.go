package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// And joins names in a sentence: "c1", "c1 and c2", "c1, c2 and c3". It is
// empty without names.
func And(names []string) string { return join(names, " and ") }

// Or joins names in a negative sentence, or alternatives: "a", "a or b",
// "a, b or c". It is empty without names.
func Or(names []string) string { return join(names, " or ") }

func join(names []string, last string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + last + names[n-1]
}

// Form returns the form of a word for n things: one, or many.
func Form(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// plural returns the form of a noun for n things. Its plural takes "s", or "es" after an "s".
func plural(n int, noun string) string {
	if strings.HasSuffix(noun, "s") {
		return Form(n, noun, noun+"es")
	}
	return Form(n, noun, noun+"s")
}

// Count returns a number with its noun: "1 schedule", "12345 schedules".
func Count(n int, noun string) string { return fmt.Sprintf("%d %s", n, plural(n, noun)) }

// Grouped returns a number whose digits are in groups of three: "12,345".
func Grouped[N ~int | ~int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// GroupedCount is [Count] with the number as by [Grouped]: "12,345 schedules".
func GroupedCount(n int, noun string) string { return Grouped(n) + " " + plural(n, noun) }

// Capital returns the text with a capital at its beginning.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Wrap breaks text at spaces into lines of at most width characters; longer
// words stay whole. There is at least one line.
func Wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// Indent indents each line by four spaces. It removes line breaks at the end.
func Indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// Clip returns the first characters of a text, and an ellipsis if there are more.
func Clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Fit cuts a text to at most the given number of characters; the last is an
// ellipsis if there were more.
func Fit(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:most-1]), " …") + "…"
}

// Shorten keeps enough printable characters of a value to distinguish two values:
// "9f2c41…".
func Shorten(value string) string {
	const whole, kept = 12, 6
	value = Printable(value)
	if utf8.RuneCountInString(value) <= whole {
		return value
	}
	return string([]rune(value)[:kept]) + "…"
}

// Key returns a key for printing. One of more than 100 characters is shortened in its middle, since records of one lock
// often differ at their ends, as in "/lock/n-0000000003".
func Key(key string) string {
	const whole, end = 100, 32
	runes := []rune(Printable(key))
	if len(runes) <= whole {
		return string(runes)
	}
	return string(runes[:whole-end-1]) + "…" + string(runes[len(runes)-end:])
}
