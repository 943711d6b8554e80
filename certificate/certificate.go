package certificate

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/packed"
	"github.com/lockpick-dev/lockpick/traces"
)

// Version is the version of the format that this package writes and reads.
const Version = 1

// MaxSize is the size in bytes of the largest certificate that is read.
const MaxSize = 256 << 20

// Certificate is the result of an exhaustive search that found no fault.
type Certificate struct {
	Version    int                `json:"certificate"`
	Lock       string             `json:"lock"`
	Scenario   string             `json:"scenario"`
	Parameters []traces.Parameter `json:"parameters"`
	// Properties are the ids of the properties that every run was judged by.
	Properties []string `json:"properties"`
	// Limits are those of them that some run violates as a limit of leases ([model.Verdict.Limit]), in ascending order.
	Limits []string `json:"limits,omitempty"`
	// Bound is the largest number of deviations. Levels are the results for each number of
	// deviations, from 0 to Bound.
	Bound  int     `json:"bound"`
	Levels []Level `json:"levels"`
	// Classes are the classes of all runs up to the order of independent events
	// ([sim.Trail.Class]), in ascending order.
	Classes Classes `json:"classes"`
	// Versions are those of Lockpick, Go and the client libraries. Program is the SHA-256 of the
	// program that searched, in hexadecimal. Verify reads neither: it compares runs.
	Versions traces.Versions `json:"versions"`
	Program  string          `json:"program"`
}

// Level is the result of all schedules with the same number of deviations.
type Level struct {
	// Run is the number of schedules that were run, and Idle the number of those that were not, since they are
	// of the class of one that was.
	Run  int `json:"run"`
	Idle int `json:"idle,omitempty"`
	// Classes is the number of classes of the runs of this level and those before it.
	Classes int `json:"classes"`
}

// Classes is a set of classes in ascending order. As text it has eight bytes for each, the most significant first, in base64.
type Classes []uint64

// MarshalText writes the set.
func (c Classes) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, 8*len(c))
	for _, class := range c {
		raw = binary.BigEndian.AppendUint64(raw, class)
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText reads what MarshalText wrote.
func (c *Classes) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	if len(raw)%8 != 0 {
		return fmt.Errorf("the classes have %d bytes, which is no multiple of 8", len(raw))
	}
	*c = make(Classes, 0, len(raw)/8)
	for ; len(raw) > 0; raw = raw[8:] {
		*c = append(*c, binary.BigEndian.Uint64(raw))
	}
	return nil
}

// Has reports whether the class is in the set.
func (c Classes) Has(class uint64) bool {
	_, found := slices.BinarySearch(c, class)
	return found
}

// Write writes the certificate as JSON.
func (c *Certificate) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// Read reads a certificate of at most [MaxSize] bytes, and nothing after it. Its error says what is wrong with it.
func Read(r io.Reader) (*Certificate, error) {
	text, err := packed.Read(r, MaxSize)
	if err != nil {
		return nil, err
	}
	c := &Certificate{}
	if err := packed.Decode(text, c); err != nil {
		return nil, fmt.Errorf("not a certificate: %w", err)
	}
	return c, c.sound()
}

// sound reports as an error what makes the certificate contradict itself.
func (c *Certificate) sound() error {
	switch {
	case c.Version != Version:
		return fmt.Errorf("the certificate has version %d of the format, and this program reads version %d", c.Version, Version)
	case c.Lock == "" || c.Scenario == "":
		return errors.New("the certificate names no lock or no scenario")
	case c.Bound < 0 || len(c.Levels) != c.Bound+1:
		return fmt.Errorf("the certificate has bound %d and %d levels: want one level for each number of deviations from 0", c.Bound, len(c.Levels))
	case c.Levels[0] != Level{Run: 1, Classes: 1}:
		return fmt.Errorf("the certificate has %d calm runs of %d classes: want 1 of 1", c.Levels[0].Run, c.Levels[0].Classes)
	case c.Levels[c.Bound].Classes != len(c.Classes):
		return fmt.Errorf("the certificate has %d classes and says that it has %d", len(c.Classes), c.Levels[c.Bound].Classes)
	case len(c.Properties) == 0:
		return errors.New("the certificate names no property")
	case slices.ContainsFunc(c.Limits, func(id string) bool { return !slices.Contains(c.Properties, id) }):
		return errors.New("the certificate names a limit that is none of its properties")
	}
	for i := 1; i < len(c.Classes); i++ {
		if c.Classes[i-1] >= c.Classes[i] {
			return errors.New("the classes of the certificate are not in ascending order")
		}
	}
	for i, l := range c.Levels {
		if more := l.Classes - c.Levels[max(i-1, 0)].Classes; l.Run < 0 || l.Idle < 0 || more < 0 || more > l.Run {
			return fmt.Errorf("level %d of the certificate has %d runs, %d idle and %d classes, which cannot be", i, l.Run, l.Idle, l.Classes)
		}
	}
	return nil
}
