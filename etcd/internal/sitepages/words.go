package sitepages

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence makes a sentence of a phrase.
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

// fileWord is an id as a part of a file's name.
func fileWord(id string) string { return strings.ReplaceAll(id, "-", "_") }
