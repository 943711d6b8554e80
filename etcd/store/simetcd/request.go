package simetcd

// The requests of services KV and Lease, as etcdserverpb's rpc.proto has them. Bytes are
// strings: an empty one is a field that is not set.

type rangeRequest struct {
	key, end        string
	limit, revision int64 // 0 for no limit, and up to 0 for the present revision
	order           sortOrder
	target          sortTarget
	serializable    bool
	keysOnly        bool
	countOnly       bool

	// What is outside of these is left out; 0 for no bound.
	minMod, maxMod, minCreate, maxCreate int64
}

// sortOrder is how a range is sorted.
type sortOrder int32

const (
	unsorted sortOrder = iota
	ascending
	descending
)

// sortTarget is by what a range is sorted.
type sortTarget int32

const (
	byKey sortTarget = iota
	byVersion
	byCreate
	byMod
	byValue
)

func (r *rangeRequest) set(d *decoder) {
	d.into(&r.key, &r.end, &r.limit, &r.revision, (*int32)(&r.order), (*int32)(&r.target), &r.serializable, &r.keysOnly, &r.countOnly,
		&r.minMod, &r.maxMod, &r.minCreate, &r.maxCreate)
}

type putRequest struct {
	key, value  string
	lease       int64
	prevKV      bool
	ignoreValue bool
	ignoreLease bool
}

func (r *putRequest) set(d *decoder) {
	d.into(&r.key, &r.value, &r.lease, &r.prevKV, &r.ignoreValue, &r.ignoreLease)
}

type deleteRequest struct {
	key, end string
	prevKV   bool
}

func (r *deleteRequest) set(d *decoder) { d.into(&r.key, &r.end, &r.prevKV) }

type txnRequest struct {
	compares         []compare
	success, failure []op
}

func (r *txnRequest) set(d *decoder) {
	switch d.field {
	case 1:
		var c compare
		d.sub(&c)
		r.compares = append(r.compares, c)
	case 2, 3:
		var o op
		d.sub(&o)
		if d.field == 2 {
			r.success = append(r.success, o)
		} else {
			r.failure = append(r.failure, o)
		}
	}
}

// deepest is how many messages an operation may be within whose transaction is read. One that is
// nested deeper is refused, since each of those around it has an operation, whatever is in it.
const deepest = 2 * maxOps

// op is an operation of a transaction: one of the four, or none.
type op struct {
	get    *rangeRequest
	put    *putRequest
	remove *deleteRequest
	txn    *txnRequest
}

func (o *op) set(d *decoder) {
	switch d.field {
	case 1:
		*o = op{get: &rangeRequest{}}
		d.sub(o.get)
	case 2:
		*o = op{put: &putRequest{}}
		d.sub(o.put)
	case 3:
		*o = op{remove: &deleteRequest{}}
		d.sub(o.remove)
	case 4:
		*o = op{txn: &txnRequest{}}
		if d.depth < deepest {
			d.sub(o.txn)
		}
	}
}

// compare is a condition of a transaction.
type compare struct {
	result   compareResult
	target   compareTarget
	key, end string
	// given is the target that the operand is for, as its field says, and operand or value the
	// operand. An operand for another target than the one that is compared does not count.
	given   compareTarget
	operand int64
	value   string
}

type compareResult int32

const (
	equal compareResult = iota
	greater
	less
	notEqual
)

type compareTarget int32

const (
	targetVersion compareTarget = iota
	targetCreate
	targetMod
	targetValue
	targetLease
)

func (c *compare) set(d *decoder) {
	switch d.field {
	case 4, 5, 6, 7, 8:
		c.given, c.operand, c.value = compareTarget(d.field-4), d.int(), d.data
	case 64:
		c.end = d.data
	default:
		d.into((*int32)(&c.result), (*int32)(&c.target), &c.key)
	}
}

type compactRequest struct{ revision int64 }

func (r *compactRequest) set(d *decoder) { d.into(&r.revision) }

type grantRequest struct {
	ttl int64 // in seconds
	id  int64 // 0 for one that the server chooses
}

func (r *grantRequest) set(d *decoder) { d.into(&r.ttl, &r.id) }

type revokeRequest struct{ id int64 }

func (r *revokeRequest) set(d *decoder) { d.into(&r.id) }

type keepAliveRequest struct{ id int64 }

func (r *keepAliveRequest) set(d *decoder) { d.into(&r.id) }

type timeToLiveRequest struct {
	id   int64
	keys bool
}

func (r *timeToLiveRequest) set(d *decoder) { d.into(&r.id, &r.keys) }

type memberListRequest struct{ linearizable bool }

func (r *memberListRequest) set(d *decoder) { d.into(&r.linearizable) }

// emptyRequest is one whose fields do not matter.
type emptyRequest struct{}

func (*emptyRequest) set(*decoder) {}

// watchRequest is a message of a client on a watch stream: one of the three, or none.
type watchRequest struct {
	create   *watchCreate
	cancel   *watchCancel
	progress bool
}

func (r *watchRequest) set(d *decoder) {
	switch d.field {
	case 1:
		*r = watchRequest{create: &watchCreate{}}
		d.sub(r.create)
	case 2:
		*r = watchRequest{cancel: &watchCancel{}}
		d.sub(r.cancel)
	case 3:
		*r = watchRequest{progress: true}
	}
}

type watchCreate struct {
	key, end string
	start    int64 // 0 for the next revision
	noPut    bool
	noDelete bool
	prevKV   bool
	id       int64 // 0 for one that the server chooses
}

func (r *watchCreate) set(d *decoder) {
	if d.field == 5 {
		r.filters(d)
		return
	}
	d.into(&r.key, &r.end, &r.start, nil, nil, &r.prevKV, &r.id)
}

// filters notes what kinds of events are left out. The field is packed or not.
func (r *watchCreate) filters(d *decoder) {
	list := []uint64{d.number}
	if d.data != "" {
		list = nil
		for packed := (decoder{rest: d.data}); len(packed.rest) > 0; {
			list = append(list, packed.varint())
		}
	}
	for _, kind := range list {
		r.noPut = r.noPut || kind == 0
		r.noDelete = r.noDelete || kind == 1
	}
}

type watchCancel struct{ id int64 }

func (r *watchCancel) set(d *decoder) { d.into(&r.id) }
