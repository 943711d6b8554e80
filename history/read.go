package history

import (
	"errors"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/model"
)

// Format is the format of a file.
type Format string

// The formats.
const (
	NDJSON Format = "ndjson"
	EDN    Format = "edn"
)

// Input is one file.
type Input struct {
	// Name is for errors; it may be empty.
	Name string
	io.Reader
}

// Options are the options of [Read]. The zero value reads NDJSON with exact stamps, or
// EDN, and detects the format.
type Options struct {
	// Format is the format; if empty, it is detected from the first bytes.
	Format Format
	// Uncertainty is the largest difference between the clocks of the stamps, in the
	// unit of the stamps: an operation may have been called that much earlier, and have
	// returned that much later, than the file says. It must be 0 for EDN, which has the
	// order of the events.
	Uncertainty int64
	// MaxCalls is the largest number of operations, 0 for [MaxCalls].
	MaxCalls int

	// Kind is the kind of object in EDN, on which the meaning of values depends. NDJSON
	// does not need it.
	Kind model.Kind
	// Independent is set if the values of EDN are pairs of object and value, as
	// with jepsen.independent.
	Independent bool
}

// Read reads the files into one history. The recorders of several files must share
// a clock or a counter; each file has its own ids.
//
// Stamps become event numbers, in the order of the stamps. Events with equal stamps
// are in this order: first the ends of leases (until), then the returns of
// operations that were called before, then the operations that returned at the
// stamp of their call, all at once, and last the calls of the others, including
// crashes. So of two operations that touch, the one that returned was first; if
// they counted as concurrent, violations would be hidden. That assumes fine clocks.
// For a coarse clock set [Options].Uncertainty to its granularity: then operations
// that touch are concurrent.
//
// The error for a bad line is a [*LineError]. An operation takes up to 1 kB of
// memory, plus its names; more than [Options].MaxCalls operations are an error.
func Read(o Options, inputs ...Input) (*History, error) {
	if o.MaxCalls == 0 {
		o.MaxCalls = MaxCalls
	}
	if o.Uncertainty < 0 {
		return nil, fmt.Errorf("uncertainty %d: want 0 or more", o.Uncertainty)
	}
	var c collection
	for _, in := range inputs {
		head, r, err := begin(o.Format, in.Reader)
		if err == nil && head.format == EDN {
			if len(inputs) > 1 || o.Uncertainty != 0 {
				return nil, named(errors.New("an EDN history is in the order of its events: want one file, and no uncertainty"), in.Name)
			}
			var h *History
			if h, err = readJepsen(r, o); err == nil {
				return h, nil
			}
		} else if err == nil {
			err = c.read(in.Name, r, o.MaxCalls)
		}
		if err != nil {
			return nil, named(head.withFormats(err), in.Name)
		}
	}
	h, err := c.history(o.Uncertainty)
	return h, heading{NDJSON, NDJSON}.withFormats(err)
}

// named puts the name of the file into the error.
func named(err error, file string) error {
	var wrong *LineError
	switch {
	case file == "":
		return err
	case errors.As(err, &wrong):
		wrong.File = file
		return wrong
	}
	return fmt.Errorf("%s: %w", file, err)
}

// collection has the NDJSON read so far.
type collection struct {
	lines []collected
	notes []Annotation
}

// collected is an operation and its file.
type collected struct {
	file string
	line
}

// read adds a file.
func (c *collection) read(file string, in io.Reader, most int) error {
	r := newLines(in)
	first := len(c.lines)
	byID := make(map[int64]int)
	for {
		l, err := r.next()
		if errors.Is(err, io.EOF) {
			return c.resolve(c.lines[first:], byID, first)
		}
		if err != nil {
			return err
		}
		if l.about != nil {
			c.notes = append(c.notes, *l.about)
		} else if err := c.add(file, l, byID); err != nil {
			return err
		}
		if len(c.lines)+len(c.notes) > most {
			return &LineError{Line: l.number, Problem: fmt.Sprintf("more than %d operations", most)}
		}
	}
}

// add adds an operation: a new one, or the completion of one that was under way.
func (c *collection) add(file string, l line, byID map[int64]int) error {
	if l.id == 0 {
		c.lines = append(c.lines, collected{file, l})
		return nil
	}
	i, known := byID[l.id]
	if !known {
		byID[l.id] = len(c.lines)
		c.lines = append(c.lines, collected{file, l})
		return nil
	}
	begun := &c.lines[i]
	if begun.has("return") {
		return &LineError{Line: l.number, Problem: fmt.Sprintf("id %d is that of line %d, an operation that has returned: want a different id for each operation", l.id, begun.number)}
	}
	same := begun.call.Client == l.call.Client && begun.call.Thread == l.call.Thread && begun.call.Object == l.call.Object &&
		begun.call.Op == l.call.Op && begun.call.Call == l.call.Call
	if !same {
		return &LineError{Line: l.number, Problem: fmt.Sprintf("id %d is that of line %d, another operation (client, thread, object, op and call have to be the same in a line that completes it)", l.id, begun.number)}
	}
	begun.line = l
	return nil
}

// resolve replaces ids by places: of becomes the number of a line in the collection,
// from 1.
func (c *collection) resolve(lines []collected, byID map[int64]int, first int) error {
	for i := range lines {
		l := &lines[i]
		if l.of == 0 {
			continue
		}
		at, known := byID[l.of]
		switch {
		case !known:
			return &LineError{Line: l.number, Problem: fmt.Sprintf("of %d: no operation in this file has that id", l.of)}
		case at == first+i:
			return &LineError{Line: l.number, Problem: fmt.Sprintf("of %d: that is this operation itself", l.of)}
		case c.lines[at].call.Object != l.call.Object:
			return &LineError{Line: l.number, Problem: fmt.Sprintf("of %d: that is an operation on %s, not on %s", l.of, quote(c.lines[at].call.Object), quote(l.call.Object))}
		case !c.lines[at].call.Op.Acquires():
			return &LineError{Line: l.number, Problem: fmt.Sprintf("of %d: that is %s, where an acquire was expected", l.of, quote(string(c.lines[at].call.Op)))}
		}
		l.call.Of = at + 1
	}
	return nil
}
