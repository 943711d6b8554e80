// Package edn reads extensible data notation (https://github.com/edn-format/edn),
// as Jepsen writes its histories in it. Begin with [NewReader].
//
// It is a reader of its own because its input comes from strangers and its
// errors go to people: it hands out one form at a time, knows the line of each
// value, and bounds both how deep forms nest and how long they are. The Go
// library for EDN (olympos.io/encoding/edn) has had no change since 2020, says
// no lines, and overflows the stack, which ends the program, on forms nested
// deeply enough.
//
// It reads all of EDN and, in addition, #"…", which Clojure prints for patterns.
// Tags are kept and mean nothing here.
package edn
