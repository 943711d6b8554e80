package simetcd

import (
	"cmp"
	"slices"
	"strings"
)

// state is what is replicated: all versions of all keys, and the leases, after a prefix of
// the log.
type state struct {
	revision  int64 // of the last transaction that changed a key
	compacted int64 // the first revision that can be read; -1 if all can
	minTTL    int64 // of leases, in seconds

	keys     []string               // all that there ever were, in their order
	versions map[string][]*keyValue // of each key, in the order of revisions
	changes  []*keyValue            // all versions of all keys, in the order of revisions
	leases   map[int64]int64        // the time to live of each, in seconds
}

// newState returns the state of a new cluster.
func newState(minTTL int64) *state {
	return &state{
		revision: 1, compacted: -1, minTTL: minTTL,
		versions: make(map[string][]*keyValue), leases: make(map[int64]int64),
	}
}

// get returns a key as it was at a revision, or nil if there was none.
func (s *state) get(key string, revision int64) *keyValue {
	list := s.versions[key]
	for i := len(list) - 1; i >= 0; i-- {
		if kv := list[i]; kv.mod <= revision {
			if kv.deleted() {
				return nil
			}
			return kv
		}
	}
	return nil
}

// infinite is the end of a range that has none.
const infinite = "\x00"

// within reports whether a key is in a range: the key itself if there is no end, and those
// up to the end, without it, if there is one.
func within(key, from, end string) bool {
	switch end {
	case "":
		return key == from
	case infinite:
		return key >= from
	}
	return from <= key && key < end
}

// find are the keys of a range as they were at a revision, in their order.
func (s *state) find(from, end string, revision int64) (found []*keyValue) {
	first, _ := slices.BinarySearch(s.keys, from)
	for _, key := range s.keys[first:] {
		if !within(key, from, end) {
			break
		}
		if kv := s.get(key, revision); kv != nil {
			found = append(found, kv)
		}
	}
	return found
}

// readable reports whether a revision can be read. The latest is given, since a transaction
// sees its own.
func (s *state) readable(revision, latest int64) status {
	switch {
	case revision > latest:
		return errFutureRevision
	case revision < s.compacted:
		return errCompacted
	}
	return status{}
}

// read answers a range. The latest revision is given, since a transaction sees its own.
func (s *state) read(r *rangeRequest, latest int64) (*rangeResponse, status) {
	revision := r.revision
	if revision <= 0 {
		revision = latest
	}
	if err := s.readable(revision, latest); err != (status{}) {
		return nil, err
	}
	found := s.find(r.key, r.end, revision)
	answer := &rangeResponse{header: header{revision: latest}, count: int64(len(found))}
	if r.countOnly {
		return answer, status{}
	}
	if r.limit > 0 && r.order == unsorted && !r.filters() {
		found = found[:min(int64(len(found)), r.limit+1)]
	}
	found = slices.DeleteFunc(found, func(kv *keyValue) bool { return !r.keeps(kv) })
	r.sort(found)
	if r.limit > 0 && int64(len(found)) > r.limit {
		found, answer.more = found[:r.limit], true
	}
	if r.keysOnly {
		for i, kv := range found {
			bare := *kv
			bare.value = ""
			found[i] = &bare
		}
	}
	answer.kvs = found
	return answer, status{}
}

// filters reports whether some keys of the range may be left out.
func (r *rangeRequest) filters() bool {
	return r.minMod != 0 || r.maxMod != 0 || r.minCreate != 0 || r.maxCreate != 0
}

// keeps reports whether a key is not left out.
func (r *rangeRequest) keeps(kv *keyValue) bool {
	inside := func(v, least, most int64) bool { return (least == 0 || v >= least) && (most == 0 || v <= most) }
	return inside(kv.mod, r.minMod, r.maxMod) && inside(kv.create, r.minCreate, r.maxCreate)
}

// sort sorts what was found, which is in the order of keys. As in etcd, what is equal keeps
// that order in both directions. (A server sorts more than a dozen equal ones in any order.)
func (r *rangeRequest) sort(found []*keyValue) {
	if r.order == unsorted && r.target == byKey {
		return
	}
	slices.SortStableFunc(found, func(a, b *keyValue) int {
		if r.order == descending {
			a, b = b, a
		}
		switch r.target {
		case byVersion:
			return cmp.Compare(a.version, b.version)
		case byCreate:
			return cmp.Compare(a.create, b.create)
		case byMod:
			return cmp.Compare(a.mod, b.mod)
		case byValue:
			return strings.Compare(a.value, b.value)
		}
		return strings.Compare(a.key, b.key)
	})
}

// since are the changes from a revision on, in their order.
func (s *state) since(revision int64) []*keyValue {
	from, _ := slices.BinarySearchFunc(s.changes, revision, func(kv *keyValue, revision int64) int {
		return cmp.Compare(kv.mod, revision)
	})
	return s.changes[from:]
}

// before returns a key before a change of it, or nil if it is not known.
func (s *state) before(kv *keyValue) *keyValue {
	if kv.create == kv.mod || s.readable(kv.mod-1, s.revision) != (status{}) {
		return nil
	}
	return s.get(kv.key, kv.mod-1)
}

// attached are the keys of a lease, in their order.
func (s *state) attached(lease int64) (keys []string) {
	for _, key := range s.keys {
		if kv := s.get(key, s.revision); kv != nil && kv.lease == lease {
			keys = append(keys, key)
		}
	}
	return keys
}
