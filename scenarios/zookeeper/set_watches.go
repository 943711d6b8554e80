package zookeeper

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// ordered is a frame as the server gets it. When the library sets its watches again it names
// them in the order of a map; here they are sorted, and so is what the server tells of them.
func ordered(frame []byte) []byte {
	const header, zxid = 12, 8 // size, number and operation; the client's last transaction
	if len(frame) < header+zxid || operation(frame) != opSetWatches {
		return frame
	}
	sorted, rest := slices.Clone(frame[:header+zxid]), frame[header+zxid:]
	for len(rest) >= 4 {
		count := int(binary.BigEndian.Uint32(rest))
		sorted, rest = append(sorted, rest[:4]...), rest[4:]
		paths := make([][]byte, 0, count)
		for range count {
			size := 4 + int(binary.BigEndian.Uint32(rest))
			paths, rest = append(paths, rest[:size]), rest[size:]
		}
		slices.SortFunc(paths, bytes.Compare)
		sorted = append(sorted, bytes.Join(paths, nil)...)
	}
	return sorted
}

// operation is that of a request.
func operation(frame []byte) int32 { return int32(binary.BigEndian.Uint32(frame[8:])) }
