package simzk

import (
	"errors"
	"slices"
)

// request is a frame of a client after the first. Which of its fields mean
// something depends on its op.
type request struct {
	xid     int32
	op      opcode
	path    string
	data    []byte
	acl     []acl
	flags   createFlags
	version int32 // that is expected; -1 for any
	watch   bool
	ops     []*request // of a multi

	lastZxid                                int64 // of setWatches, and the lists of its paths
	dataWatches, existWatches, childWatches []string
	persistentWatches                       []string // of setWatches2; they are not served

	// malformed is set if the frame makes no sense after its header, which is then all
	// that is known.
	malformed bool
}

// createFlags say what kind of znode is created.
type createFlags int32

const (
	flagEphemeral  createFlags = 1
	flagSequential createFlags = 2

	// Of the kinds of the protocol, those up to here are served, and those up to
	// lastKind are known.
	lastServedKind = flagEphemeral | flagSequential
	lastKind       = createFlags(6)
)

// parseRequest reads a frame after the first. It takes any bytes; a frame without a
// header is an error. A server answers a frame that makes no sense after its header
// with MarshallingError, and an op that is not served with Unimplemented.
func parseRequest(frame []byte) (*request, error) {
	d := decoder{rest: frame}
	r := &request{xid: d.int(), op: opcode(d.int())}
	if d.bad {
		return nil, errors.New("request without a header")
	}
	header := *r
	r.parse(&d)
	if d.bad {
		*r = header
		r.malformed = true
	}
	return r, nil
}

// parse reads what follows the header.
func (r *request) parse(d *decoder) {
	switch r.op {
	case opExists, opGetData, opGetChildren, opGetChildren2:
		r.path, r.watch = d.string(), d.bool()
	case opGetACL, opSync:
		r.path = d.string()
	case opMulti:
		r.ops = d.operations()
	case opSetWatches, opSetWatches2:
		r.lastZxid = d.long()
		r.dataWatches, r.existWatches, r.childWatches = d.strings(), d.strings(), d.strings()
		if r.op == opSetWatches2 {
			r.persistentWatches = slices.Concat(d.strings(), d.strings())
		}
	default:
		r.parseWrite(d)
	}
}

// parseWrite reads the operations that a multi may have, too, and setACL.
func (r *request) parseWrite(d *decoder) {
	switch r.op {
	case opCreate, opCreate2, opCreateContainer, opCreateTTL:
		r.path, r.data, r.acl, r.flags = d.string(), d.buffer(), d.acls(), createFlags(d.int())
		if r.op == opCreateTTL {
			d.long() // the time to live
		}
	case opDelete, opCheck:
		r.path, r.version = d.string(), d.int()
	case opSetData:
		r.path, r.data, r.version = d.string(), d.buffer(), d.int()
	case opSetACL:
		r.path, r.acl, r.version = d.string(), d.acls(), d.int()
	}
}

// operations reads the operations of a multi, up to the header that marks their end.
func (d *decoder) operations() (ops []*request) {
	for {
		r := &request{op: opcode(d.int())}
		done := d.bool()
		d.int() // a code, in replies
		if done || d.bad {
			return ops
		}
		switch r.op {
		case opCreate, opCreate2, opCreateContainer, opCreateTTL, opDelete, opSetData, opCheck:
			r.parseWrite(d)
		default:
			d.bad = true
		}
		if r.op == opCreate2 {
			r.op = opCreate // as a server does: a multi's results have no stat of what was created
		}
		ops = append(ops, r)
	}
}

// refused reports whether the request is of an op that is not served. A server ends the
// connection after its answer.
func (r *request) refused() bool {
	switch r.op {
	case opExists, opGetData, opGetACL, opGetChildren, opGetChildren2, opSync, opPing, opSetWatches:
		return false
	case opSetWatches2:
		return len(r.persistentWatches) > 0
	}
	return !r.writes()
}

// writes reports whether the request needs a transaction of the leader.
func (r *request) writes() bool {
	switch r.op {
	case opCreate, opCreate2, opCreateContainer, opCreateTTL, opDelete, opSetData, opSetACL, opMulti, opClose:
		return true
	}
	return false
}

// otherOps are the ops of ZooKeeper 3.9 that have no name here.
var otherOps = map[opcode]string{
	17: "checkWatches", 18: "removeWatches", 20: "deleteContainer", 22: "multiRead", 102: "sasl", 103: "getEphemerals",
	104: "getAllChildrenNumber", 107: "whoAmI",
}

// unsupported returns what the request asks for that ZooKeeper has and no server here, empty if there is nothing.
func (r *request) unsupported() string {
	name := r.op.String()
	if other := otherOps[r.op]; other != "" {
		name = other
	}
	for _, op := range r.ops {
		if what := op.unsupported(); what != "" && op.op != opCheck { // which a multi may have
			return what
		}
	}
	_, named := opNames[r.op]
	foreign := slices.IndexFunc(r.acl, func(a acl) bool { return slices.Contains(schemes, a.scheme) })
	switch {
	case r.malformed:
		return ""
	case len(r.persistentWatches) > 0:
		return "persistent watches"
	case r.op == opCreateContainer, r.op == opCreateTTL, r.refused() && (named || name != r.op.String()):
		return "the request " + name
	case r.flags > lastServedKind && r.flags <= lastKind:
		return "znodes that are containers or have a time to live"
	case foreign >= 0:
		return "access control by the scheme " + r.acl[foreign].scheme
	}
	return ""
}

// schemes are those by which ZooKeeper lets clients in, besides world.
var schemes = []string{"auth", "digest", "host", "ip", "sasl", "super", "x509"}
