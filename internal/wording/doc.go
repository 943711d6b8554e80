// Package wording formats text: lists of names, numbers with their nouns, lines of
// a width, words for a shell. It knows nothing of the content.
package wording
