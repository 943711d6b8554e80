package explore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/packed"
)

// State is the progress of a search, or of one shard of it. It is enough to
// continue later, or to join the results of several machines.
type State struct {
	Schema int `json:"schema"`
	// Identity identifies the search, in the caller's format. States of different
	// searches cannot be joined.
	Identity json.RawMessage `json:"identity"`
	// Shard is the part of the search, empty for all of it.
	Shard string `json:"shard,omitempty"`
	// Blocks are the finished blocks of a search by a strategy, by their numbers.
	Blocks map[int]Tally `json:"blocks,omitempty"`
	// Spans has, for each entry of Blocks that covers several blocks from its number on, how many: a long search does
	// not keep each block.
	Spans map[int]int `json:"spans,omitempty"`
	// Parts are the finished parts of an exhaustive search.
	Parts []CheckPart `json:"parts,omitempty"`
	// Said is the caller's report on the search, in the caller's format, written when the
	// search ended; empty before. Joined states have none.
	Said json.RawMessage `json:"said,omitempty"`
}

// Tally returns the tally of the finished blocks and parts, joined in order.
func (s *State) Tally() Tally {
	happenings := 0
	for _, t := range s.Blocks { // unordered: they are of one search
		happenings = len(t.Happened)
	}
	for i := range s.Parts {
		happenings = len(s.Parts[i].Tally.Happened)
	}
	sum := newTally(happenings)
	for _, b := range slices.Sorted(maps.Keys(s.Blocks)) {
		t := s.Blocks[b]
		sum.join(&t)
	}
	for i := range s.Parts {
		sum.join(&s.Parts[i].Tally)
	}
	return sum
}

const (
	// stateSchema is the version of the format. Version 1 did not distinguish a fault from a limit of the same property; versions 2 and 3
	// had no checksum.
	stateSchema = 4
	// maxState is the largest size of a state's decompressed text, in bytes.
	maxState = 128 << 20
	// maxStateEntries is the largest number of list entries and objects of a state. Most are
	// choices of tapes, with some 65 bytes of text each.
	maxStateEntries = 1 << 21
	// maxStateDepth is the deepest nesting of a state; the identity and the reports are the
	// caller's.
	maxStateDepth = 32
)

// ErrNotState is the error for a file that holds no state, or a damaged one.
var ErrNotState = errors.New("not the state of a search")

// ReadState reads a state from a file. If the file was changed after it was written, the error is [ErrNotState].
func ReadState(path string) (*State, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := packed.Read(f, maxState)
	if err != nil {
		return nil, fmt.Errorf("%s is %w: %w", path, ErrNotState, err)
	}
	s, err := decodeState(raw)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return s, nil
}

// decodeState parses the text of a state. An error continues a sentence that begins with the name of the file.
func decodeState(raw []byte) (*State, error) {
	notState := func(err error) error { return fmt.Errorf("is %w: %w", ErrNotState, err) }
	if err := packed.Entries(raw, maxStateEntries, maxStateDepth); err != nil {
		return nil, notState(err)
	}
	text, err := packed.Unseal(raw)
	if err != nil {
		if other := otherSchema(raw); other != nil && errors.Is(err, packed.ErrNoSeal) {
			return nil, other
		}
		return nil, notState(err)
	}
	s := &State{}
	if err := otherSchema(text); err != nil {
		return nil, err
	}
	if err := packed.Decode(text, s); err != nil {
		if wrong := new(packed.Wrong); errors.As(err, &wrong) {
			err = fmt.Errorf("%s: %w", wrong.Place(text), err)
		}
		return nil, notState(err)
	}
	if s.Schema != stateSchema {
		return nil, notState(fmt.Errorf("schema %d", s.Schema))
	}
	if err := s.check(); err != nil {
		return nil, notState(err)
	}
	return s, nil
}

// otherSchema returns an error if another version of Lockpick wrote the state.
func otherSchema(text []byte) error {
	var s struct {
		Schema int `json:"schema"`
	}
	switch err := packed.Head(text, &s); {
	case err != nil || s.Schema == stateSchema || s.Schema < 1:
		return nil
	case s.Schema == 1:
		return fmt.Errorf("was written by an older version of Lockpick (schema 1, and this version knows %d), which did not distinguish faults from limits: "+
			"search again from the beginning, or go on with that version", stateSchema)
	case s.Schema < stateSchema:
		return fmt.Errorf("was written by an older version of Lockpick (schema %d, and this version knows %d), whose states have no checksum: "+
			"search again from the beginning, or go on with that version", s.Schema, stateSchema)
	}
	return fmt.Errorf("has schema %d, and this version knows %d", s.Schema, stateSchema)
}

// check returns an error if the contents of an undamaged state are invalid.
func (s *State) check() error {
	for b, t := range s.Blocks { // unordered: any error will do
		if b < 0 {
			return fmt.Errorf("block number %d is negative", b)
		}
		if err := t.Check(); err != nil {
			return fmt.Errorf("block %d: %w", b, err)
		}
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		if p.Bound < 0 || p.Part < 0 || p.Branches < 0 || p.Idle < 0 {
			return fmt.Errorf("a number of part %d of bound %d is negative", p.Part, p.Bound)
		}
		if err := p.Tally.Check(); err != nil {
			return fmt.Errorf("part %d of bound %d: %w", p.Part, p.Bound, err)
		}
	}
	return s.checkSpans()
}

// Write replaces the file with the state atomically, with a checksum. A state longer than 1 MiB,
// as with tapes of long runs, is compressed by gzip.
func (s *State) Write(path string) error {
	s.Schema = stateSchema
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	part := path + ".part"
	var file bytes.Buffer
	if err := packed.Write(&file, packed.Seal(append(raw, '\n'))); err != nil {
		return err
	}
	if err := os.WriteFile(part, file.Bytes(), 0o666); err != nil {
		_ = os.Remove(part) // half of it, on a full disk
		return err
	}
	return os.Rename(part, path)
}

// Join adds another state of the same search. Results that both have must be equal.
func (s *State) Join(other *State) error {
	if string(s.Identity) != string(other.Identity) {
		return fmt.Errorf("the states are of different searches: %s and %s", s.Identity, other.Identity)
	}
	for b, t := range other.Blocks { // unordered: into a map
		if old, both := s.Blocks[b]; both && !old.Same(&t) {
			return fmt.Errorf("the states differ in block %d", b)
		}
		if s.Blocks == nil {
			s.Blocks = map[int]Tally{}
		}
		s.Blocks[b] = t
	}
	if err := s.joinSpans(other); err != nil {
		return err
	}
	for _, p := range other.Parts {
		i := slices.IndexFunc(s.Parts, func(o CheckPart) bool { return o.Bound == p.Bound && o.Part == p.Part })
		switch {
		case i < 0:
			s.Parts = append(s.Parts, p)
		case !s.Parts[i].Tally.Same(&p.Tally):
			return fmt.Errorf("the states differ in part %d of bound %d", p.Part, p.Bound)
		}
	}
	slices.SortFunc(s.Parts, func(a, b CheckPart) int { return cmp.Or(cmp.Compare(a.Bound, b.Bound), cmp.Compare(a.Part, b.Part)) })
	s.Shard, s.Said = "", nil
	return nil
}
