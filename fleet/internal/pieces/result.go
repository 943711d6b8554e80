package pieces

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Result is the result of a piece. It depends on the search and the range alone.
type Result struct {
	First int `json:"first"`
	End   int `json:"end"`
	// Stop is the block before which the piece ended because too many runs did not finish; End if it did not.
	Stop int `json:"stop"`
	// Sampled is set if the sample before the first block ended the search.
	Sampled bool `json:"sampled,omitempty"`
	// Blocks are the blocks by their numbers; or Whole is all of them joined, with the classes of outcomes in Sketch if they
	// are many.
	Blocks map[int]explore.Tally `json:"blocks,omitempty"`
	Whole  *explore.Tally        `json:"whole,omitempty"`
	Sketch []byte                `json:"sketch,omitempty"`
}

// Made describes how a result was made. No result depends on it.
type Made struct {
	Worker  string        `json:"worker"`
	Spent   time.Duration `json:"spentNanos"` // processor time of the runs
	Tries   int           `json:"tries"`      // how often the piece was handed out, this time included
	Ended   time.Time     `json:"ended"`
	Version string        `json:"version"` // of Lockpick
	// Stacks are the stacks of troubles, by their schedules: their addresses differ from process to process.
	Stacks map[int]string `json:"stacks,omitempty"`
}

// Range returns the range of the result.
func (r *Result) Range() explore.Range { return explore.Range{First: r.First, End: r.End} }

// Tallies returns the tallies of the result, in their order.
func (r *Result) Tallies() (list []*explore.Tally) {
	for _, b := range slices.Sorted(maps.Keys(r.Blocks)) {
		t := r.Blocks[b]
		list = append(list, &t)
	}
	if r.Whole != nil {
		list = append(list, r.Whole)
	}
	return list
}

// Environment reports whether a run was given up without a proof, as when a process is killed from outside. Another result
// of the piece may then differ, which proves nothing about the code under test.
func (r *Result) Environment() bool {
	for _, t := range r.Tallies() {
		if slices.ContainsFunc(t.Troubles, func(t explore.Trouble) bool { return t.Kind == explore.Inconclusive }) {
			return true
		}
	}
	return false
}

// Builder makes a result of the blocks of a range.
type Builder struct {
	plan    Plan
	result  Result
	classes Classes
}

// NewBuilder returns a Builder for one range of a plan.
func NewBuilder(p Plan, r explore.Range) *Builder {
	return &Builder{plan: p, result: Result{First: r.First, End: r.End, Stop: r.First}}
}

// Add adds the next block.
func (b *Builder) Add(number int, t explore.Tally) {
	b.result.Stop = number + 1
	if !b.plan.Joined {
		if b.result.Blocks == nil {
			b.result.Blocks = map[int]explore.Tally{}
		}
		b.result.Blocks[number] = t
		return
	}
	if b.result.Whole == nil {
		b.result.Whole = &explore.Tally{}
	}
	b.classes.Add(t.Classes, countedPiece)
	t.Classes = nil
	b.result.Whole.Join(&t)
}

// Result returns the result of all blocks.
func (b *Builder) Result(sampled bool) (*Result, error) {
	b.result.Sampled = sampled
	if b.result.Whole != nil {
		sketch, err := b.classes.Sketch()
		if err != nil {
			return nil, err
		}
		b.result.Sketch = sketch
		if sketch == nil {
			b.classes.Into(b.result.Whole)
		}
	}
	return &b.result, nil
}

// Encoded is a result as stored.
type Encoded struct {
	// Hash is the SHA-256 of the result's text, in hexadecimal digits.
	Hash string
	Data []byte
}

// head is the first line of the stored result.
type head struct {
	Schema int    `json:"schema"`
	Search string `json:"search"`
	SHA256 string `json:"sha256"`
	Made   Made   `json:"made"`
}

const (
	schema = 1
	// maxText is the maximum length of a result's text that is read, in bytes.
	maxText = 1 << 30
)

// Encode writes a result of the search with that hash. The stacks of the result are moved to Made.
func Encode(search string, r *Result, made Made) (Encoded, error) {
	made.Stacks = map[int]string{}
	for _, t := range r.Tallies() {
		for i := range t.Troubles {
			if stack := t.Troubles[i].Stack; stack != "" {
				made.Stacks[t.Troubles[i].Schedule] = stack
				t.Troubles[i].Stack = ""
			}
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return Encoded{}, err
	}
	sum := sha256.Sum256(append([]byte(search+"\n"), text...))
	e := Encoded{Hash: hex.EncodeToString(sum[:])}
	first, err := json.Marshal(head{schema, search, e.Hash, made})
	if err != nil {
		return Encoded{}, err
	}
	e.Data = pack(first, text)
	return e, nil
}

// pack returns the stored form: the first line, and the text, compressed.
func pack(first, text []byte) []byte {
	var file bytes.Buffer
	file.Write(append(first, '\n'))
	z := gzip.NewWriter(&file)
	_, _ = z.Write(text) // a buffer takes all
	_ = z.Close()
	return file.Bytes()
}

// Decode reads the output of Encode for the search, whose hash is known. The text must have that hash, whatever its first
// line says.
func Decode(search, hash string, data []byte) (*Result, Made, error) {
	line, packed, found := bytes.Cut(data, []byte{'\n'})
	var h head
	if err := json.Unmarshal(line, &h); err != nil || !found {
		return nil, h.Made, errors.New("it is cut off, or no result of a piece")
	}
	if h.Schema != schema {
		return nil, h.Made, fmt.Errorf("it has schema %d, and this version knows %d", h.Schema, schema)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, h.Made, fmt.Errorf("it is damaged: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, maxText))
	if err != nil {
		return nil, h.Made, fmt.Errorf("it is damaged: %w", err)
	}
	if sum := sha256.Sum256(append([]byte(search+"\n"), text...)); hex.EncodeToString(sum[:]) != hash {
		return nil, h.Made, fmt.Errorf("it is damaged, or of another search: its SHA-256 is %x", sum)
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, h.Made, err
	}
	if err := errors.Join(r.check(), h.Made.check()); err != nil {
		return nil, h.Made, fmt.Errorf("no worker has searched that: %w", err)
	}
	for _, t := range r.Tallies() {
		for i := range t.Troubles {
			t.Troubles[i].Stack = h.Made.Stacks[t.Troubles[i].Schedule]
		}
	}
	return &r, h.Made, nil
}
