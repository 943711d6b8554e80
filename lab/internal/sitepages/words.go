package sitepages

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/checker"
)

// sentence turns a phrase into a sentence.
func sentence(phrase string) string {
	r, size := utf8.DecodeRuneInString(phrase)
	if size == 0 {
		return ""
	}
	phrase = string(unicode.ToUpper(r)) + phrase[size:]
	if strings.ContainsAny(phrase[len(phrase)-1:], ".!?") {
		return phrase
	}
	return phrase + "."
}

// firstSentence returns the first sentence of a text in Markdown outside of headings, tables, code and comments; empty if
// there is none.
func firstSentence(text string) string {
	for part := range strings.SplitSeq(text, "\n\n") {
		part = strings.TrimSpace(part)
		if part == "" || strings.ContainsAny(part[:1], "#|`<!{-") {
			continue
		}
		part = strings.ReplaceAll(part, "\n", " ")
		if first, _, more := strings.Cut(part, ". "); more {
			return first + "."
		}
		return part
	}
	return ""
}

// fileWord returns an id as a part of a file's name.
func fileWord(id string) string { return strings.ReplaceAll(id, "-", "_") }

// hyphenated matches hyphenated words outside of code, links and paths: those that are ids of scenarios and properties can
// mean nothing else.
var hyphenated = regexp.MustCompile("(^|[ (])([a-z]+(?:-[a-z]+)+)([ ,.;:)\n]|$)")

// linked returns a text in Markdown in which ids of scenarios and properties are links to their pages.
func (s *site) linked(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
			continue // code
		}
		for range 2 { // two ids may share the character between them
			line = hyphenated.ReplaceAllStringFunc(line, func(m string) string {
				part := hyphenated.FindStringSubmatch(m)
				id, to := part[2], ""
				if _, err := s.registry.Scenario(id); err == nil {
					to = "/scenarios/" + id
				} else if checker.Known(id) {
					to = "/properties/" + id
				}
				if to == "" {
					return m
				}
				return part[1] + "[" + id + "](" + to + ")" + part[3]
			})
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
