package pieces

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/axiomhq/hyperloglog"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// The precision of sketches, and the maximum numbers of classes that are counted exactly: in a piece, beyond which a
// sketch is smaller, and in a search.
const (
	precision    = 14
	countedPiece = 1 << precision / 8
	counted      = 1 << 16
)

// StandardError is the relative standard error of an estimated number of classes: 1.04 divided by the root of the number
// of registers.
var StandardError = 1.04 / math.Sqrt(1<<precision)

// Classes is a number of classes of outcomes: a set of them up to a limit, and a HyperLogLog sketch beyond it. The zero value
// is empty.
type Classes struct {
	set    explore.Classes
	sketch *hyperloglog.Sketch
}

// Add adds a set. Limit is the maximum number of classes that are counted exactly.
func (c *Classes) Add(set explore.Classes, limit int) {
	if c.sketch == nil {
		if c.set == nil {
			c.set = explore.Classes{}
		}
		maps.Copy(c.set, set)
		if len(c.set) <= limit {
			return
		}
		set = c.set
		c.estimate()
	}
	for class := range set { // unordered: a sketch has the highest of each register
		c.insert(class)
	}
}

// estimate continues with a sketch, which is empty.
func (c *Classes) estimate() {
	c.set = nil
	c.sketch, _ = hyperloglog.NewSketch(precision, false) // the precision is valid
}

func (c *Classes) insert(class uint64) {
	c.sketch.Insert(binary.BigEndian.AppendUint64(nil, class))
}

// AddSketch adds another sketch.
func (c *Classes) AddSketch(raw []byte) error {
	var other hyperloglog.Sketch
	if err := other.UnmarshalBinary(raw); err != nil {
		return fmt.Errorf("a sketch of classes cannot be read: %w", err)
	}
	if c.sketch == nil {
		set := c.set
		c.estimate()
		for class := range set { // unordered: as above
			c.insert(class)
		}
	}
	if err := c.sketch.Merge(&other); err != nil {
		return fmt.Errorf("a sketch of classes does not fit the others: %w", err)
	}
	return nil
}

// Sketch returns the sketch, nil if the classes were counted.
func (c *Classes) Sketch() ([]byte, error) {
	if c.sketch == nil {
		return nil, nil
	}
	return c.sketch.MarshalBinary()
}

// Into puts the classes into a tally: the set, or an estimate.
func (c *Classes) Into(t *explore.Tally) {
	t.Classes, t.Estimated = explore.Classes{}, nil
	if c.sketch != nil {
		t.Estimated = &explore.Estimate{Classes: int(c.sketch.Estimate()), Error: math.Round(StandardError*1e5) / 1e5}
		return
	}
	for _, class := range slices.Sorted(maps.Keys(c.set)) {
		t.Classes[class] = struct{}{}
	}
}

// Count returns the number of classes.
func (c *Classes) Count() int {
	if c.sketch != nil {
		return int(c.sketch.Estimate())
	}
	return len(c.set)
}
