package message

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// The kinds of reports.
const (
	Alive   = "alive"   // a worker lives
	Kept    = "kept"    // a result is in the bucket
	Double  = "double"  // a result was there already, the same one
	Aside   = "aside"   // a piece was set aside
	Differs = "differs" // a result is not the one that was there
	Failure = "failure" // a piece could not be searched, and was given back
)

// Report is a report of a worker. It may be lost: everything that matters is in the bucket.
type Report struct {
	Kind   string        `json:"kind"`
	Worker string        `json:"worker"`
	Range  explore.Range `json:"range"`
	Times  int           `json:"times,omitempty"`
	Text   string        `json:"text,omitempty"`
	// Of a living worker: the pieces that it has, by their first blocks, and the number of its slots.
	Pieces []int `json:"pieces,omitempty"`
	Slots  int   `json:"slots,omitempty"`
}

// maxSlots is the maximum number of a worker's pieces at a time.
const maxSlots = 256

// ReadReport reads a report. Anyone with the token can send anything.
func ReadReport(data []byte) (r Report, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("a report cannot be read: %w", err)
	}
	switch {
	case !slices.Contains([]string{Alive, Kept, Double, Aside, Differs, Failure}, r.Kind):
		return r, fmt.Errorf("a report is of the kind %.40q, which this version does not know", r.Kind)
	case !pieces.IsWorkerName(r.Worker):
		return r, fmt.Errorf("a report has %.140q for a worker's name: want up to 100 letters, digits, dots, hyphens and underscores", r.Worker)
	case r.Range != (explore.Range{}) && !isRange(r.Range), r.Range == explore.Range{} && r.Kind != Alive:
		return r, fmt.Errorf("a report of the worker %s is of blocks %d to %d", r.Worker, r.Range.First, r.Range.End)
	case r.Times < 0 || r.Slots < 0 || r.Slots > maxSlots || len(r.Pieces) > maxSlots || slices.ContainsFunc(r.Pieces, func(n int) bool { return n < 0 || n > pieces.MaxBlocks }):
		return r, fmt.Errorf("a report of the worker %s has %d slots, %d pieces and %d tries", r.Worker, r.Slots, len(r.Pieces), r.Times)
	}
	r.Text = pieces.Shown(r.Text)
	return r, nil
}

// ReadPiece reads a piece to search.
func ReadPiece(data []byte) (r explore.Range, err error) {
	if err = json.Unmarshal(data, &r); err == nil && !isRange(r) {
		err = fmt.Errorf("blocks %d to %d", r.First, r.End)
	}
	if err != nil {
		return r, fmt.Errorf("the queue has a piece that cannot be searched, which is dropped: %w", err)
	}
	return r, nil
}

// isRange reports whether a range can be that of a piece.
func isRange(r explore.Range) bool {
	return r.First >= 0 && r.First < r.End && r.End <= pieces.MaxBlocks
}
