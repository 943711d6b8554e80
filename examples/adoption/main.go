// Command adoption is simrun with published libraries and programs, unmodified, in their newest versions. Each has an adapter of at
// most 60 lines in the file of its name.
//
//	go run . list
//	go run . run gc-pause --lock redsync
//	go run . matrix
//
// Some connect by themselves, to an address. They need a build with the overlay (docs/check-reference.md), and are refused without:
//
//	go build -overlay="$(go run . overlay)"
package main

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/simrun"
)

// A library is code of others with its adapter.
type library struct {
	module   string       // whose version is shown
	lock     cell.Lock    // that the adapter makes of it
	program  cell.Program // instead of the lock
	expected expect.Expectations
}

// libraries are in the order of their stores and names.
var libraries = []library{redislockLibrary, redsyncLibrary}

func main() {
	var locks []cell.Lock
	var programs []cell.Program
	known := expect.Family{Title: "Libraries and programs"}
	for _, l := range libraries {
		if l.program.ID != "" {
			programs = append(programs, l.program)
		} else {
			locks = append(locks, l.lock)
		}
		known.Expectations = append(known.Expectations, l.expected)
	}
	simrun.Main(simrun.Locks(locks...), simrun.Programs(programs...), simrun.Families(known))
}
