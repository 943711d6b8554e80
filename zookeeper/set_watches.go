package zookeeper

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// ordered returns a frame as the server gets it. The library sets its watches again in the
// order of a map; here they are sorted, and so the server's notifications are in order, too.
// Data that is not a whole frame of a request is unchanged.
func ordered(frame []byte) []byte {
	const header, zxid = 12, 8 // size, number and operation; the client's last transaction
	if len(frame) < header+zxid || int(binary.BigEndian.Uint32(frame)) != len(frame)-4 || !setsWatches(operation(frame)) {
		return frame
	}
	sorted, rest := slices.Clone(frame[:header+zxid]), frame[header+zxid:]
	for len(rest) > 0 {
		paths, after, whole := pathList(rest)
		if !whole {
			return frame
		}
		slices.SortFunc(paths, bytes.Compare)
		sorted = append(append(sorted, rest[:4]...), bytes.Join(paths, nil)...)
		rest = after
	}
	return sorted
}

// pathList reads a list of paths, each preceded by its length.
func pathList(b []byte) (paths [][]byte, rest []byte, whole bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	count, rest := binary.BigEndian.Uint32(b), b[4:]
	for range count {
		if len(rest) < 4 {
			return nil, nil, false
		}
		size := 4 + int(binary.BigEndian.Uint32(rest))
		if size > len(rest) {
			return nil, nil, false
		}
		paths, rest = append(paths, rest[:size]), rest[size:]
	}
	return paths, rest, true
}

// operation returns the operation of a request.
func operation(frame []byte) int32 { return int32(binary.BigEndian.Uint32(frame[8:])) }

// setsWatches reports whether the operation sets watches again.
func setsWatches(operation int32) bool {
	return operation == opSetWatches || operation == opSetWatches2
}
