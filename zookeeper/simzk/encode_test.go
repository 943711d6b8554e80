package simzk

import "time"

// encode is the request's frame.
func (r *request) encode() []byte {
	var e encoder
	e.int(r.xid)
	e.int(int32(r.op))
	e.operands(r)
	return e.frame
}

// operands appends what is behind a request's header.
func (e *encoder) operands(r *request) {
	switch r.op {
	case opExists, opGetData, opGetChildren, opGetChildren2:
		e.string(r.path)
		e.bool(r.watch)
	case opGetACL, opSync:
		e.string(r.path)
	case opCreate, opCreate2, opCreateContainer, opCreateTTL:
		e.string(r.path)
		e.buffer(r.data)
		e.acls(r.acl)
		e.int(int32(r.flags))
		if r.op == opCreateTTL {
			e.long(1000)
		}
	case opDelete, opCheck:
		e.string(r.path)
		e.int(r.version)
	case opSetData:
		e.string(r.path)
		e.buffer(r.data)
		e.int(r.version)
	case opSetACL:
		e.string(r.path)
		e.acls(r.acl)
		e.int(r.version)
	case opMulti:
		for _, op := range r.ops {
			e.multiHeader(op.op, false, -1)
			e.operands(op)
		}
		e.multiHeader(opError, true, -1)
	case opSetWatches, opSetWatches2:
		e.long(r.lastZxid)
		e.strings(r.dataWatches)
		e.strings(r.existWatches)
		e.strings(r.childWatches)
		if r.op == opSetWatches2 {
			e.strings(r.persistentWatches)
			e.strings(nil)
		}
	case opSetAuth:
		e.int(0)
		e.string("nobody")
		e.buffer(nil)
	}
}

// encode is the frame that asks for a session.
func (c connect) encode() []byte {
	var e encoder
	e.int(c.protocol)
	e.long(c.lastZxid)
	e.int(int32(c.timeout / time.Millisecond))
	e.long(c.session)
	e.buffer(c.password)
	return e.frame
}
