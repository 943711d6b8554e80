package simetcd

import "slices"

// operation is the content of a log entry: a request that changes the state. Every member
// executes it on its own, with the same result.
type operation interface {
	apply(s *state) (response, status)
	// String describes it in a word or two.
	String() string
}

// transaction is an operation on keys that is being carried out. All its changes have one
// revision, the next.
type transaction struct {
	*state
	begin int64 // the revision before it
	made  int   // so many changes
}

func (s *state) begin() *transaction { return &transaction{state: s, begin: s.revision} }

// latest is the revision that the transaction sees: its own once it has changed something.
func (t *transaction) latest() int64 {
	if t.made > 0 {
		return t.begin + 1
	}
	return t.begin
}

// end makes the changes, if there are any, the latest revision.
func (t *transaction) end() { t.revision = t.latest() }

// record adds a version of a key.
func (t *transaction) record(kv *keyValue) {
	if i, found := slices.BinarySearch(t.keys, kv.key); !found {
		t.keys = slices.Insert(t.keys, i, kv.key)
	}
	t.versions[kv.key] = append(t.versions[kv.key], kv)
	t.changes = append(t.changes, kv)
	t.made++
}

// put writes a key. Its request was checked.
func (t *transaction) put(r *putRequest) *putResponse {
	revision := t.begin + 1
	kv := &keyValue{key: r.key, value: r.value, create: revision, mod: revision, version: 1, lease: r.lease}
	answer := &putResponse{}
	if old := t.get(r.key, revision); old != nil {
		kv.create, kv.version = old.create, old.version+1
		if r.ignoreValue {
			kv.value = old.value
		}
		if r.ignoreLease {
			kv.lease = old.lease
		}
		if r.prevKV {
			answer.prev = old
		}
	}
	t.record(kv)
	answer.revision = revision
	return answer
}

// remove deletes the keys of a range.
func (t *transaction) remove(r *deleteRequest) *deleteResponse {
	found := t.find(r.key, r.end, t.latest())
	for _, kv := range found {
		t.record(&keyValue{key: kv.key, mod: t.begin + 1})
	}
	answer := &deleteResponse{header: header{revision: t.latest()}, deleted: int64(len(found))}
	if r.prevKV {
		answer.prevs = found
	}
	return answer
}

// missing reports whether a put relies on a version of its key that there is not.
func (s *state) missing(r *putRequest) bool {
	return (r.ignoreValue || r.ignoreLease) && s.get(r.key, s.revision) == nil
}

// lacks reports whether there is no such lease. Every state has the lease 0, which is none.
func (s *state) lacks(lease int64) bool {
	_, found := s.leases[lease]
	return lease != 0 && !found
}

func (r *putRequest) apply(s *state) (response, status) {
	switch {
	case s.lacks(r.lease):
		return nil, errLeaseNotFound
	case s.missing(r):
		return nil, errKeyNotFound
	}
	t := s.begin()
	defer t.end()
	return t.put(r), status{}
}

func (r *putRequest) String() string { return "put " + r.key }

func (r *deleteRequest) apply(s *state) (response, status) {
	t := s.begin()
	defer t.end()
	return t.remove(r), status{}
}

func (r *deleteRequest) String() string { return "delete " + r.key }

func (r *compactRequest) apply(s *state) (response, status) {
	switch {
	case r.revision <= s.compacted:
		return nil, errCompacted
	case r.revision > s.revision:
		return nil, errFutureRevision
	}
	s.compacted = r.revision
	return s.answer(), status{}
}

func (r *compactRequest) String() string { return "compact" }

// answer is a response with the present revision and nothing else.
func (s *state) answer() *headerResponse {
	return &headerResponse{header{revision: s.revision}}
}

// maxTTL is the longest time to live of a lease, in seconds.
const maxTTL = 9_000_000_000

func (r *grantRequest) apply(s *state) (response, status) {
	switch {
	case r.ttl > maxTTL:
		return nil, errLeaseTTLTooLarge
	case !s.lacks(r.id):
		return nil, errLeaseExists
	}
	ttl := max(r.ttl, s.minTTL)
	s.leases[r.id] = ttl
	return &leaseResponse{header: header{revision: s.revision}, id: r.id, ttl: ttl}, status{}
}

func (r *grantRequest) String() string { return "grant lease " + leaseName(r.id) }

// apply ends a lease, and deletes its keys in one revision.
func (r *revokeRequest) apply(s *state) (response, status) {
	if r.id == 0 || s.lacks(r.id) {
		return nil, errLeaseNotFound
	}
	t := s.begin()
	for _, key := range s.attached(r.id) {
		t.remove(&deleteRequest{key: key})
	}
	t.end()
	delete(s.leases, r.id)
	return s.answer(), status{}
}

func (r *revokeRequest) String() string { return "revoke lease " + leaseName(r.id) }
