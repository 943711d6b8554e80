package history

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// History is what a file, or several, say that clients did.
type History struct {
	// Calls are the operations in the order of their calls: Calls[i].ID is
	// i+1, and their stamps are event numbers from 1, of which every event has
	// its own.
	Calls []model.Call
	// Origins say where each of the Calls was found.
	Origins []Origin
	// Annotations are what else happened: pauses, faults, restarts. They are
	// for people. Their stamps are event numbers too.
	Annotations []Annotation
	// Shared is how many events had a stamp that another event has as well, in
	// an order that only the rule of [Read] gives.
	Shared int
	// Dropped is how many operations constrain nothing and were left out:
	// those that Jepsen says have failed.
	Dropped int
}

// Origin is where a call was found and what its stamps were there.
type Origin struct {
	// File is the name of the input, empty if it has none.
	File string
	// Line is the line, from 1: of an operation that Jepsen wrote as two events,
	// that of the first.
	Line int
	// Call and Return are the stamps as they were recorded; of Jepsen's, its
	// times if it has some, else the places of the events in the file, from 1.
	// Return is 0 if there is none.
	Call, Return int64
}

// String names the place, such as "line 7" or "a.ndjson:7".
func (o Origin) String() string { return place(o.File, o.Line) }

func place(file string, line int) string {
	if file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Annotation is something that happened beside the operations. It has no part
// in any verdict.
type Annotation struct {
	// Text says what happened, such as "paused for 2.5s".
	Text string
	// On is the client, node or other thing that it happened to; it may be
	// empty.
	On string
	// From and To are when it began and ended; To equals From if it is a
	// moment.
	From, To int64
}

// LineError is what is wrong with a line of a file.
type LineError struct {
	// File is the name of the input, empty if it has none.
	File string
	// Line is the line, from 1.
	Line int
	// Problem says what was found, and what was expected.
	Problem string
}

// Error names the line first.
func (e *LineError) Error() string { return place(e.File, e.Line) + ": " + e.Problem }

// Limits that no input exceeds.
const (
	// MaxLine is how many bytes a line of NDJSON may have.
	MaxLine = 64 << 10
	// MaxCalls is how many operations a history may have unless
	// [Options].MaxCalls says otherwise. With what judging needs, one takes up to 1.5 kB of
	// memory.
	MaxCalls = 1_000_000
)
