package traces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Encode writes a trace as text, with a newline at the end. The same trace gives the same bytes. A zero t.Schema is
// written as [Schema]. Of a very long run it writes only the events of [Trace.Bounded].
func Encode(w io.Writer, t *Trace) error {
	full, err := complete(t)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(full); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	_, err = w.Write(breakLines(compact.Bytes()))
	return err
}

// complete returns the trace as written: with its schema, and with empty lists instead of absent ones.
func complete(t *Trace) (*Trace, error) {
	full := *t.Bounded()
	if full.Schema == 0 {
		full.Schema = Schema
	}
	if full.Schema != Schema {
		return nil, fmt.Errorf("trace: schema %d cannot be written, only schema %d", full.Schema, Schema)
	}
	full.Terms = full.Terms.Usual()
	if full.Made == nil {
		full.Made = Versions{}
	}
	if full.Parameters == nil {
		full.Parameters = []Parameter{}
	}
	if full.Shrunk != nil && full.Shrunk.Parameters == nil {
		shrunk := *full.Shrunk
		shrunk.Parameters = []Parameter{}
		full.Shrunk = &shrunk
	}
	full.Attribution = full.Attribution.complete()
	if full.Actors == nil {
		full.Actors = []Actor{}
	}
	if full.Tape == nil {
		full.Tape = []sim.Choice{}
	}
	if full.Events == nil {
		full.Events = []sim.Event{}
	}
	if full.History.Operations == nil {
		full.History.Operations = []model.Operation{}
	}
	if full.History.Observations == nil {
		full.History.Observations = []model.Observation{}
	}
	if full.Verdicts == nil {
		full.Verdicts = []model.Verdict{}
	}
	return &full, nil
}

// complete returns the attribution with empty lists instead of absent ones.
func (a *Attribution) complete() *Attribution {
	if a == nil {
		return nil
	}
	full := *a
	if full.Deviations == nil {
		full.Deviations = []Deviation{}
	}
	if full.Remedies == nil {
		full.Remedies = []Remedy{}
	}
	return &full
}

// layout is a container around the current position of breakLines.
type layout struct {
	object bool
	broken bool // its entries have a line each
}

// breakLines spreads compact JSON over lines. The outermost container is broken, and so are the containers directly inside
// a broken object; those inside a list are not.
func breakLines(compact []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(compact) + len(compact)/8)
	var open []layout
	newline := func() {
		out.WriteByte('\n')
		for range open {
			out.WriteByte(' ')
		}
	}
	compact = bytes.TrimSpace(compact)
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		broken := len(open) > 0 && open[len(open)-1].broken
		switch c {
		case '"':
			end := packed.StringEnd(compact, i)
			out.Write(compact[i:end])
			i = end - 1
		case '{', '[':
			out.WriteByte(c)
			outer := len(open) == 0 || broken && open[len(open)-1].object
			open = append(open, layout{object: c == '{', broken: outer && !closes(compact, i+1)})
			if open[len(open)-1].broken {
				newline()
			}
		case '}', ']':
			open = open[:len(open)-1]
			if broken {
				newline()
			}
			out.WriteByte(c)
		case ',':
			out.WriteByte(c)
			if broken {
				newline()
			}
		case ':':
			out.WriteByte(c)
			if broken {
				out.WriteByte(' ')
			}
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// closes reports whether a container ends at i.
func closes(b []byte, i int) bool { return i < len(b) && (b[i] == '}' || b[i] == ']') }
