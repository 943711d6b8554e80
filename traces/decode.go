package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/lockpick-dev/lockpick/internal/packed"
)

const (
	// MaxSize is the maximum length of a trace's text that is read, in bytes, decompressed.
	MaxSize = 64 << 20
	// MaxEntries is the maximum number of list entries of a trace file, all lists together. A trace of MaxSize has far fewer.
	MaxEntries = 1 << 20
	// maxDepth is the maximum nesting of a trace; the format itself needs 5.
	maxDepth = 16
)

// Decode reads one trace, compressed by gzip or not, and nothing after it. The package
// documentation says what it refuses.
func Decode(r io.Reader) (*Trace, error) {
	data, err := packed.Read(r, MaxSize)
	var tooLong *packed.TooLong
	switch {
	case errors.As(err, &tooLong):
		return nil, fmt.Errorf("trace: %w, the most that a trace may have: the file may not be a trace", err)
	case err != nil:
		return nil, fmt.Errorf("trace: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("trace: the file is empty; record the run again")
	}
	if err := checkSize(data); err != nil {
		return nil, err
	}
	if err := checkSchema(data); err != nil {
		return nil, err
	}
	t, err := unmarshalTrace(data)
	if err != nil {
		return nil, err
	}
	if t.Schema < Schema { // what it says, the newer schema says as well
		if field := t.newerField(); field != "" {
			return nil, fmt.Errorf("trace: schema %d has no field %q; remove it, or read the file with the simrun that wrote it", t.Schema, field)
		}
		t.Schema = Schema
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("trace: %w; the file was damaged or edited: record the run again", err)
	}
	return t, nil
}

// newerField returns a field that the trace has and its schema does not; "" if there is none.
func (t *Trace) newerField() string {
	switch {
	case len(t.Confirmations) > 0:
		return "confirmations"
	case t.Real != nil:
		return "real"
	case t.Remarks != nil:
		return "remarks"
	}
	return ""
}

// checkSize limits the cost of decoding beforehand.
func checkSize(data []byte) error {
	err := packed.Entries(data, MaxEntries, maxDepth)
	var many *packed.TooMany
	switch {
	case !errors.As(err, &many):
		return err
	case many.Deep:
		return fmt.Errorf("trace: %s: %w, so it is not a trace", packed.Place(data, many.Offset), err)
	}
	return fmt.Errorf("trace: %s: %w, which is more than a trace may have", packed.Place(data, many.Offset), err)
}

// checkSchema checks the schema alone, because a file of another schema may have any shape.
func checkSchema(data []byte) error {
	var head struct {
		Schema *int `json:"schema"`
	}
	if err := packed.Head(data, &head); err != nil {
		return explain(err, data)
	}
	switch {
	case head.Schema == nil:
		return errors.New("trace: this is JSON, but not a trace: it names no schema")
	case *head.Schema > Schema:
		return fmt.Errorf("trace: written by a newer simrun (schema %d; this one reads up to %d): update", *head.Schema, Schema)
	case *head.Schema < 1:
		return fmt.Errorf("trace: schema %d does not exist; this simrun reads %d", *head.Schema, Schema)
	case *head.Schema < oldest:
		return fmt.Errorf("trace: schema %d, which Lockpick %s reads; this simrun reads %d to %d: replay it with that version, or record the run again",
			*head.Schema, readers[*head.Schema], oldest, Schema)
	}
	return nil
}

// oldest is the oldest schema that can be read. Newer ones only have more fields.
const oldest = 2

// readers are the versions of Lockpick that read each schema before oldest.
var readers = map[int]string{1: "0.1.0"}

// explain adds the place to an error of package packed.
func explain(err error, data []byte) error {
	var wrong *packed.Wrong
	switch {
	case !errors.As(err, &wrong):
		return fmt.Errorf("trace: %w", err)
	case wrong.Truncated:
		return fmt.Errorf("trace: truncated: it ends after %d bytes, inside a value; copy or record it again", len(data))
	case wrong.Followed:
		return fmt.Errorf("trace: %s: something follows the end of the trace; one file holds one trace", wrong.Place(data))
	case wrong.Field != "":
		return fmt.Errorf("trace: %s: schema %d has no field %s; remove it, or read the file with the simrun that wrote it",
			wrong.Place(data), Schema, quote(wrong.Field))
	}
	return fmt.Errorf("trace: %s: %w", wrong.Place(data), err)
}
