package redislocks

import "hash/fnv"

// ShardOf returns the one of n independent servers, from 0, to which the lock of the given name belongs, by rendezvous
// hashing: of another number of servers most names keep theirs. It is the same in every process. A lock
// on that server alone is as safe as the server: when it is down, nobody has its locks. n must be at
// least 1.
//
// With a function it is one of those that it accepts, or 0 if it accepts none. A client-side ring leaves out
// servers that seem down, such as go-redis's Ring; a lock must not, since another server knows nothing of who
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
