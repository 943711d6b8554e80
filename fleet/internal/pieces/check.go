package pieces

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

var workerName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// IsWorkerName reports whether a name can be a worker's: people must be able to distinguish names.
func IsWorkerName(name string) bool { return workerName.MatchString(name) }

// Shown returns a text of another machine for display: shortened, and without control characters.
func Shown(text string) string {
	const longest = 4096
	lines := strings.Split(text[:min(len(text), longest)], "\n")
	for i, line := range lines {
		lines[i] = wording.Printable(line)
	}
	return strings.Join(lines, "\n")
}

// Check returns an error if the plan cannot be one for a search of that many blocks: plans come from the bucket and the
// queue.
func (p Plan) Check(blocks int) error {
	if p.Size < 1 || p.Blocks != blocks || NewPlan(blocks, p.Size) != p {
		return fmt.Errorf("it cuts a search of %d blocks into pieces of %d, and the search has %d", p.Blocks, p.Size, blocks)
	}
	return nil
}

// check returns an error if Made is invalid.
func (m *Made) check() error {
	const longest = 30 * 24 * time.Hour
	switch {
	case !IsWorkerName(m.Worker):
		return fmt.Errorf("%q is no name of a worker", m.Worker)
	case m.Spent < 0 || m.Spent > longest:
		return fmt.Errorf("it took %v", m.Spent)
	case m.Tries < 0 || m.Tries > 1e6:
		return fmt.Errorf("it was handed out %d times", m.Tries)
	}
	return nil
}

// check returns an error if a result has something that no piece of a search has.
func (r *Result) check() error {
	switch {
	case r.First < 0 || r.End <= r.First || r.End > 1<<32 || r.Stop < r.First || r.Stop > r.End:
		return fmt.Errorf("it has blocks %d to %d, and ends before block %d", r.First, r.End-1, r.Stop)
	case r.Whole == nil && len(r.Blocks) != r.Stop-r.First, r.Whole != nil && (len(r.Blocks) > 0 || r.Stop == r.First):
		return fmt.Errorf("it has %d of blocks %d to %d", len(r.Blocks), r.First, r.Stop-1)
	case len(r.Sketch) > 0 && r.Whole == nil:
		return errors.New("it has a sketch of classes, and no joined blocks")
	}
	for n := range r.Blocks { // unordered: any error will do
		if n < r.First || n >= r.Stop {
			return fmt.Errorf("block %d is not one of its", n)
		}
	}
	for _, t := range r.Tallies() {
		if err := t.Check(); err != nil {
			return err
		}
		if t.Estimated != nil {
			return errors.New("its classes are estimated before they are joined")
		}
	}
	return checkSketch(r.Sketch)
}

// checkSketch refuses a sketch that this program would not have written.
func checkSketch(raw []byte) error {
	const head, largest = 8, 64 - precision + 1 // of a register
	if len(raw) == 0 {
		return nil
	}
	var all Classes
	all.estimate()
	want, err := all.Sketch()
	if err == nil && (len(raw) != len(want) || string(raw[:head]) != string(want[:head]) || slices.Max(raw[head:]) > largest) {
		err = fmt.Errorf("its sketch of classes has %d bytes, or is another than this program writes", len(raw))
	}
	return err
}
