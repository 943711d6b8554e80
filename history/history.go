package history

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// History is the contents of one or more files.
type History struct {
	// Calls are the operations in the order of their calls: Calls[i].ID is i+1, and
	// their stamps are unique event numbers from 1.
	Calls []model.Call
	// Origins say where each of the Calls was found.
	Origins []Origin
	// Annotations are other events: pauses, faults, restarts. They are for the reader. Their
	// From and To are event numbers, too: of the first event that is not before the
	// annotation, and of the last that is not after it. If it is between two events, both
	// are the later one's.
	Annotations []Annotation
	// Shared is the number of events that share their stamp with another event, so that
	// only the rule of [Read] orders them.
	Shared int
	// Dropped is the number of operations that were left out because they constrain
	// nothing: those that failed, in Jepsen's histories.
	Dropped int
}

// Origin is the place of a call in its file, with its recorded stamps.
type Origin struct {
	// File is the name of the input, empty if it has none.
	File string
	// Line is the line, from 1. For an operation of two events, in Jepsen's format, it
	// is the line of the first.
	Line int
	// Call and Return are the recorded stamps. For Jepsen's histories they are the
	// times or, without times, the places of the events in the file, from 1. Return is
	// 0 if there is none.
	Call, Return int64
	// Until is the recorded stamp of the end of a lease, 0 if there is none.
	Until int64
}

// String returns the place, such as "line 7" or "a.ndjson:7".
func (o Origin) String() string { return place(o.File, o.Line) }

func place(file string, line int) string {
	if file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Annotation is an event other than an operation. It affects no verdict.
type Annotation struct {
	// Text describes the event, such as "paused for 2.5s".
	Text string
	// On is the client, node or other thing concerned; it may be empty.
	On string
	// From and To are the stamps of its beginning and end; To equals From for a moment.
	From, To int64
	// Began and Ended are the recorded stamps of From and To, in a history that was
	// read: they show the place between two events. They are 0 if the file has none, as
	// Jepsen's files may. A [Writer] ignores them.
	Began, Ended int64
}

// LineError is an error in a line of a file.
type LineError struct {
	// File is the name of the input, empty if it has none.
	File string
	// Line is the line, from 1.
	Line int
	// Problem says what was found, and what was expected.
	Problem string
	// Format is the format in which the file was read, empty if it begins like neither.
	// Begins is the format that it begins like, which may differ from Format if
	// [Options].Format is set.
	Format, Begins Format
}

// Error names the line first.
func (e *LineError) Error() string { return place(e.File, e.Line) + ": " + e.Problem }

// Limits that no input exceeds.
const (
	// MaxLine is the largest number of bytes in a line of NDJSON.
	MaxLine = 64 << 10
	// MaxCalls is the largest number of operations in a history unless
	// [Options].MaxCalls sets another. An operation takes up to 1.5 kB, including the
	// memory for judging.
	MaxCalls = 1_000_000
)
