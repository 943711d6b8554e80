package redislocks

import "hash/fnv"

// ShardOf returns the number, from 0, of the one of n independent servers that the lock of the given name belongs to,
// by rendezvous hashing: if n changes, most names keep their server. It is the same in every process. A lock on that
// server alone is as safe as the server: when it is down, nobody gets its locks. n must be at least 1.
//
// If up is not nil, ShardOf chooses among the servers that it accepts, and returns 0 if it accepts none. A client-side
// ring, such as go-redis's Ring, leaves out servers that seem down. A lock must not: another server does not know who
// holds it. See SetPXRing in package flawed.
func ShardOf(name string, n int, up func(i int) bool) int {
	best, most := 0, uint64(0)
	for i := range n {
		if up != nil && !up(i) {
			continue
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte{byte(i), byte(i >> 8)}) // has no errors
		_, _ = h.Write([]byte(name))
		if weight := h.Sum64() | 1; weight > most {
			best, most = i, weight
		}
	}
	return best
}
