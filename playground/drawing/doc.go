// Package drawing makes the story and the page of a trace for the playground. It is a program of its own, beside the one
// that searches, which is loaded first: templates keep every method of every type in a program, so without them that
// program is a third smaller, and findings are drawn while the search goes on.
//
// Segments are described only if the program has a reader of their protocol (package payload).
package drawing
