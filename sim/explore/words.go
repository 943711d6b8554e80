package explore

import (
	"strings"
	"sync/atomic"
)

// firstLine returns the most informative line of a dying worker's output.
func firstLine(words string, otherwise error) string {
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "simrun:") {
			return line
		}
	}
	return otherwise.Error()
}

// tail keeps the beginning and the end of the data written to it: a crash states its
// reason at its beginning.
type tail struct{ head, rest []byte }

const tailHead, tailRest = 16 << 10, 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if room := tailHead - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head, p = append(t.head, p[:k]...), p[k:]
	}
	t.rest = append(t.rest, p...)
	if over := len(t.rest) - tailRest; over > 0 {
		t.rest = t.rest[over:]
	}
	return n, nil
}

func (t *tail) String() string { return string(t.head) + string(t.rest) }

// maxPrinted is the most bytes that a worker may print in a run.
const maxPrinted = 64 << 20

// output is the output of a worker. It ends a worker that prints too much between two results: see
// [output.again].
type output struct {
	tail
	printed atomic.Int64 // bytes since the last result; overflow once they were too many
	flood   func()       // ends the worker
}

// overflow is more than any worker prints.
const overflow = 1 << 60

func (o *output) Write(p []byte) (int, error) {
	if n := o.printed.Add(int64(len(p))); n > maxPrinted && n < overflow {
		o.printed.Add(overflow)
		o.flood()
	}
	return o.tail.Write(p)
}

// again restarts the count, unless it was too much.
func (o *output) again() {
	if n := o.printed.Load(); n < overflow {
		o.printed.Add(-n)
	}
}

// flooded reports whether the worker printed too much.
func (o *output) flooded() bool { return o.printed.Load() >= overflow }
