package explore

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// Classes is a set of classes.
type Classes map[uint64]struct{}

// join adds the classes of another set.
func (c Classes) join(other Classes) {
	for class := range other { // unordered: into a set
		c[class] = struct{}{}
	}
}

// MarshalText writes the set: eight bytes each, in order, in base64.
func (c Classes) MarshalText() ([]byte, error) {
	var raw []byte
	for _, class := range slices.Sorted(maps.Keys(c)) {
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
		return fmt.Errorf("a set of classes has %d bytes, which is no multiple of 8", len(raw))
	}
	*c = make(Classes, len(raw)/8)
	for ; len(raw) > 0; raw = raw[8:] {
		(*c)[binary.BigEndian.Uint64(raw)] = struct{}{}
	}
	return nil
}
