package explore

import (
	"fmt"
	"maps"
	"slices"
)

// Estimate is an estimated number of classes.
type Estimate struct {
	Classes int `json:"classes"`
	// Error is the standard error, as a share of the number.
	Error float64 `json:"error"`
}

// plus adds another estimate. The error of a sum is at most the larger one.
func (e *Estimate) plus(other *Estimate) *Estimate {
	switch {
	case other == nil:
		return e
	case e == nil:
		return other
	}
	return &Estimate{Classes: e.Classes + other.Classes, Error: max(e.Error, other.Error)}
}

// Distinct returns the number of classes of outcomes, and its relative standard error: 0 if they were counted.
func (t *Tally) Distinct() (classes int, standardError float64) {
	if t.Estimated == nil {
		return len(t.Classes), 0
	}
	return len(t.Classes) + t.Estimated.Classes, t.Estimated.Error
}

// Join adds the tally of the blocks that follow, which must have been searched after those of t. Neither tally
// may be used by itself afterwards.
func (t *Tally) Join(later *Tally) {
	if t.Happened == nil {
		*t = newTally(len(later.Happened))
	}
	t.join(later)
}

// TooMuch reports whether a search ends after these blocks because too many of their runs did not
// finish.
func (t *Tally) TooMuch() bool { return tooMuch(t.Troubles, true) }

// maxCount is the largest number of schedules and blocks that a state or a piece may name: a search has up to 10⁹ schedules.
const maxCount = 1 << 40

// checkSpans returns an error if the spans of a state are invalid.
func (s *State) checkSpans() error {
	for _, b := range slices.Sorted(maps.Keys(s.Spans)) {
		if _, there := s.Blocks[b]; !there || s.Spans[b] < 2 || s.Spans[b] > maxCount {
			return fmt.Errorf("block %d cannot stand for %d", b, s.Spans[b])
		}
	}
	end := 0
	for _, b := range slices.Sorted(maps.Keys(s.Blocks)) {
		if b < end {
			return fmt.Errorf("two of its parts have block %d", b)
		}
		end = b + max(s.Spans[b], 1)
	}
	return nil
}

// joinSpans adds the spans of another state whose blocks have been joined.
func (s *State) joinSpans(other *State) error {
	if len(s.Spans)+len(other.Spans) == 0 {
		return nil
	}
	spans := maps.Clone(other.Spans)
	if spans == nil {
		spans = map[int]int{}
	}
	maps.Copy(spans, s.Spans)
	s.Spans = spans
	if err := s.checkSpans(); err != nil {
		return fmt.Errorf("the states keep the search in parts that do not fit together: %w", err)
	}
	return nil
}
