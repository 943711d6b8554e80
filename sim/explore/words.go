package explore

import (
	"strings"
	"sync/atomic"
)

// firstLine picks the line of a dying worker's last words that says most.
func firstLine(words string, otherwise error) string {
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "simrun:") {
			return line
		}
	}
	return otherwise.Error()
}

// tail keeps the beginning and the end of what is written to it: a crash says
// why at its beginning.
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

// maxPrinted is how much a worker may print in a run.
const maxPrinted = 64 << 20

// output is what a worker prints. One that prints too much without giving a result ends: see [output.again].
type output struct {
	tail
	printed atomic.Int64 // since the last result; very much once it was too much
	flood   func()       // ends the worker
}

// overflow is far more than anybody prints.
const overflow = 1 << 60

func (o *output) Write(p []byte) (int, error) {
	if n := o.printed.Add(int64(len(p))); n > maxPrinted && n < overflow {
		o.printed.Add(overflow)
		o.flood()
	}
	return o.tail.Write(p)
}

// again begins to count anew, unless it was too much.
func (o *output) again() {
	if n := o.printed.Load(); n < overflow {
		o.printed.Add(-n)
	}
}

// flooded reports whether it was too much.
func (o *output) flooded() bool { return o.printed.Load() >= overflow }
