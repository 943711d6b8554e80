// Package wording puts text together for people: names in a sentence, numbers
// with their nouns, lines of a width, words for a shell. It knows nothing of
// what the text says.
package wording
