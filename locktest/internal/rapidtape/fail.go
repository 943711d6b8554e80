package rapidtape

import (
	"reflect"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// Ends reports whether a panic is one with which rapid ends a check: the draws are used up, or a T's Fatal or Skip was
// called. Rapid recognizes such panics by their types, so they must not be replaced.
func Ends(value any) bool {
	typ := reflect.TypeOf(value)
	if typ != nil && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ != nil && typ.PkgPath() == reflect.TypeFor[rapid.T]().PkgPath()
}

// Fail fails a check with the message. While it shrinks, rapid takes two failures for the same if they came from the same
// lines of code. To give each kind of failure lines of its own, Fail branches on the bits of a hash of the kind; rapid
// compares at most 32 calls.
func Fail(t *rapid.T, kind, message string) {
	var d sim.Digest
	d.String(kind)
	descend(t, d.Sum()&(1<<16-1)|1<<16, message)
}

func descend(t *rapid.T, way uint64, message string) {
	switch {
	case way == 1:
		t.Fatal(message)
	case way&1 == 0:
		descend(t, way>>1, message)
	default:
		descend(t, way>>1, message)
	}
}
