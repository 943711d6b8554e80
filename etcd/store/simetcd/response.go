package simetcd

// The responses of the services, as etcdserverpb's rpc.proto has them.

// header is in every response.
type header struct {
	cluster, member uint64
	revision        int64
	term            uint64
}

func (h *header) encode(e *encoder) {
	e.uint(1, h.cluster)
	e.uint(2, h.member)
	e.int(3, h.revision)
	e.uint(4, h.term)
}

func (h *header) head() *header { return h }

// response is the answer to a request.
type response interface {
	encodable
	head() *header
}

// keyValue is a version of a key. It is never changed.
type keyValue struct {
	key, value string
	create     int64 // 0 if the key was deleted
	mod        int64
	version    int64
	lease      int64
}

func (kv *keyValue) deleted() bool { return kv.create == 0 }

func (kv *keyValue) encode(e *encoder) {
	e.string(1, kv.key)
	e.int(2, kv.create)
	e.int(3, kv.mod)
	e.int(4, kv.version)
	e.string(5, kv.value)
	e.int(6, kv.lease)
}

type rangeResponse struct {
	header
	kvs   []*keyValue
	more  bool
	count int64
}

func (r *rangeResponse) encode(e *encoder) {
	e.message(1, &r.header)
	for _, kv := range r.kvs {
		e.message(2, kv)
	}
	e.bool(3, r.more)
	e.int(4, r.count)
}

type putResponse struct {
	header
	prev *keyValue // nil if there was none, or nobody asked
}

func (r *putResponse) encode(e *encoder) {
	e.message(1, &r.header)
	if r.prev != nil {
		e.message(2, r.prev)
	}
}

type deleteResponse struct {
	header
	deleted int64
	prevs   []*keyValue
}

func (r *deleteResponse) encode(e *encoder) {
	e.message(1, &r.header)
	e.int(2, r.deleted)
	for _, kv := range r.prevs {
		e.message(3, kv)
	}
}

type txnResponse struct {
	header
	succeeded bool
	responses []response
}

func (r *txnResponse) encode(e *encoder) {
	e.message(1, &r.header)
	e.bool(2, r.succeeded)
	for _, one := range r.responses {
		e.message(3, opResponse{one})
	}
}

// opResponse is the answer to one operation of a transaction.
type opResponse struct{ response }

func (r opResponse) encode(e *encoder) {
	field := 0
	switch r.response.(type) {
	case *rangeResponse:
		field = 1
	case *putResponse:
		field = 2
	case *deleteResponse:
		field = 3
	case *txnResponse:
		field = 4
	}
	e.message(field, r.response)
}

// headerResponse is one that says nothing else.
type headerResponse struct{ header }

func (r *headerResponse) encode(e *encoder) { e.message(1, &r.header) }

// leaseResponse is the answer to a grant, or to a keep-alive.
type leaseResponse struct {
	header
	id, ttl int64 // ttl is 0 if there is no such lease
}

func (r *leaseResponse) encode(e *encoder) {
	e.message(1, &r.header)
	e.int(2, r.id)
	e.int(3, r.ttl)
}

type timeToLiveResponse struct {
	header
	id, ttl, granted int64 // ttl is -1 if there is no such lease
	keys             []string
}

func (r *timeToLiveResponse) encode(e *encoder) {
	e.message(1, &r.header)
	e.int(2, r.id)
	e.int(3, r.ttl)
	e.int(4, r.granted)
	for _, key := range r.keys {
		e.element(5, key)
	}
}

type leasesResponse struct {
	header
	ids []int64
}

func (r *leasesResponse) encode(e *encoder) {
	e.message(1, &r.header)
	for _, id := range r.ids {
		e.message(2, leaseStatus(id))
	}
}

type leaseStatus int64

func (s leaseStatus) encode(e *encoder) { e.int(1, int64(s)) }

type memberListResponse struct {
	header
	members []member
}

func (r *memberListResponse) encode(e *encoder) {
	e.message(1, &r.header)
	for i := range r.members {
		e.message(2, &r.members[i])
	}
}

type member struct {
	id                       uint64
	name, peerURL, clientURL string
}

func (m *member) encode(e *encoder) {
	e.uint(1, m.id)
	e.string(2, m.name)
	e.string(3, m.peerURL)
	e.string(4, m.clientURL)
}

type statusResponse struct {
	header
	version        string
	leader         uint64
	index, applied uint64
	errors         []string
}

func (r *statusResponse) encode(e *encoder) {
	e.message(1, &r.header)
	e.string(2, r.version)
	e.uint(4, r.leader)
	e.uint(5, r.index)
	e.uint(6, r.term)
	e.uint(7, r.applied)
	for _, text := range r.errors {
		e.element(8, text)
	}
}

type watchResponse struct {
	header
	id        int64
	created   bool
	canceled  bool
	compacted int64
	reason    string
	events    []event
}

func (r *watchResponse) encode(e *encoder) {
	e.message(1, &r.header)
	e.int(2, r.id)
	e.bool(3, r.created)
	e.bool(4, r.canceled)
	e.int(5, r.compacted)
	e.string(6, r.reason)
	for i := range r.events {
		e.message(11, &r.events[i])
	}
}

// event is a change of which a watcher is notified.
type event struct {
	kv   *keyValue
	prev *keyValue // nil if there was none, or nobody asked
}

func (v *event) encode(e *encoder) {
	e.bool(1, v.kv.deleted()) // PUT is 0, DELETE 1
	e.message(2, v.kv)
	if v.prev != nil {
		e.message(3, v.prev)
	}
}
