package simzk

import (
	"maps"
	"strings"
	"time"
)

// state is what is replicated: the znodes and the sessions after a prefix of the
// transactions.
type state struct {
	nodes      map[string]*znode
	sessions   map[int64]session
	ephemerals map[int64]names // paths of a session's ephemeral znodes
	lastZxid   int64           // of the last transaction that was applied
}

// znode is a node of the tree at one moment. It is never changed: a transaction
// puts another in its place.
type znode struct {
	path                string
	data                []byte // nil if the client gave none
	acl                 []acl
	czxid, mzxid, pzxid int64
	ctime, mtime        int64 // in milliseconds
	version             int32
	cversion            int32 // how many children were created: the next sequence number
	aversion            int32
	ephemeralOwner      int64 // the session; 0 for a persistent znode
	children            names
}

// session is a client's session.
type session struct {
	id       int64
	timeout  time.Duration
	password []byte
}

type changeKind uint8

const (
	created changeKind = iota + 1
	deleted
	dataChanged
	aclChanged
)

// change is what a part of a transaction has done to a znode.
type change struct {
	kind    changeKind
	path    string
	node    *znode // after the change; of a deleted one, before it
	parent  *znode // of one that was created or deleted, after that
	session int64  // whose transaction it was
}

// Capacities of a server's sets when they are made, see [names].
const (
	childrenCapacity   = 8
	ephemeralsCapacity = 16
)

// newState returns the state of a new ensemble.
func newState() *state {
	s := &state{nodes: make(map[string]*znode), sessions: make(map[int64]session), ephemerals: make(map[int64]names)}
	for _, path := range []string{rootPath, zookeeperPath, quotaPath, configPath} {
		n := &znode{path: path, data: []byte{}, acl: world(permAll), children: newNames(childrenCapacity)}
		if path == configPath {
			n.acl, n.aversion = world(permRead), -1
		}
		if path != rootPath {
			parent, name := split(path)
			s.nodes[parent].children = s.nodes[parent].children.with(name)
		}
		s.nodes[path] = n
	}
	return s
}

// clone returns a copy that goes its own way.
func (s *state) clone() *state {
	return &state{
		nodes:      maps.Clone(s.nodes),
		sessions:   maps.Clone(s.sessions),
		ephemerals: maps.Clone(s.ephemerals),
		lastZxid:   s.lastZxid,
	}
}

// node returns the znode at a path, or nil. A server knows the root as "", too.
func (s *state) node(path string) *znode {
	if path == "" {
		path = rootPath
	}
	return s.nodes[path]
}

// apply executes a transaction and returns what changed: one change for each part but
// checks, in their order.
func (s *state) apply(t *txn) (changes []change) {
	s.lastZxid = t.zxid
	if t.failed() {
		return nil
	}
	for i := range t.parts {
		p := &t.parts[i]
		switch p.op {
		case opCreate, opCreate2:
			changes = append(changes, s.create(t, p))
		case opDelete:
			changes = append(changes, s.delete(t, p))
		case opSetData, opSetACL:
			changes = append(changes, s.set(t, p))
		}
	}
	switch t.op {
	case opCreateSession:
		s.sessions[t.session] = session{t.session, t.timeout, t.password}
	case opClose:
		delete(s.sessions, t.session)
		delete(s.ephemerals, t.session)
	}
	return changes
}

func (s *state) create(t *txn, p *part) change {
	n := &znode{
		path: p.path, data: p.data, acl: p.acl,
		czxid: t.zxid, mzxid: t.zxid, pzxid: t.zxid, ctime: t.at, mtime: t.at,
		children: newNames(childrenCapacity),
	}
	if p.ephemeral {
		n.ephemeralOwner = t.session
		s.own(t.session, p.path)
	}
	s.nodes[p.path] = n
	parentPath, name := split(p.path)
	parent := *s.node(parentPath)
	parent.children = parent.children.with(name)
	if p.version > parent.cversion { // not once it has overflowed, as a server has it
		parent.cversion, parent.pzxid = p.version, t.zxid
	}
	s.nodes[parent.path] = &parent
	return change{created, p.path, n, &parent, t.session}
}

// own notes an ephemeral znode of a session.
func (s *state) own(session int64, path string) {
	paths, ok := s.ephemerals[session]
	if !ok {
		paths = newNames(ephemeralsCapacity)
	}
	s.ephemerals[session] = paths.with(path)
}

func (s *state) delete(t *txn, p *part) change {
	n := s.nodes[p.path]
	delete(s.nodes, p.path)
	if owner := n.ephemeralOwner; owner != 0 {
		s.ephemerals[owner] = s.ephemerals[owner].without(p.path)
	}
	parentPath, name := split(p.path)
	parent := *s.node(parentPath)
	parent.children = parent.children.without(name)
	parent.pzxid = t.zxid
	s.nodes[parent.path] = &parent
	return change{deleted, p.path, n, &parent, t.session}
}

// set gives a znode other data or another ACL.
func (s *state) set(t *txn, p *part) change {
	n := *s.node(p.path)
	s.nodes[n.path] = &n
	if p.op == opSetACL {
		n.acl, n.aversion = p.acl, p.version
		return change{aclChanged, p.path, &n, nil, t.session}
	}
	n.data, n.version, n.mzxid, n.mtime = p.data, p.version, t.zxid, t.at
	return change{dataChanged, p.path, &n, nil, t.session}
}

// read answers a request that does not write, whether it is served or not. The answer
// to a request about watches is that they may be set.
func (s *state) read(r *request) (code, []byte) {
	var e encoder
	switch {
	case r.malformed:
		return codeMarshallingError, nil
	case r.op == opSetAuth:
		return codeAuthFailed, nil
	case r.refused():
		return codeUnimplemented, nil
	case r.op == opPing, r.op == opSetWatches, r.op == opSetWatches2:
		return codeOK, nil
	case r.op == opSync:
		e.string(r.path)
		return codeOK, e.frame
	}
	n, c := s.find(r)
	if c == codeOK {
		e.content(r.op, n)
	}
	return c, e.frame
}

// find returns the znode that a request reads, if it may.
func (s *state) find(r *request) (*znode, code) {
	if r.op == opExists && strings.Contains(r.path, "\x00") {
		return nil, codeBadArguments
	}
	n := s.node(r.path)
	perms := permRead
	if r.op == opGetACL {
		perms |= permAdmin
	}
	switch {
	case n == nil:
		return nil, codeNoNode
	case r.op != opExists && !allows(n.acl, perms):
		return nil, codeNoAuth
	}
	return n, codeOK
}

// content appends what an op reads of a znode.
func (e *encoder) content(op opcode, n *znode) {
	switch op {
	case opGetData:
		e.buffer(n.data)
	case opGetACL:
		e.acls(n.acl)
	case opGetChildren, opGetChildren2:
		e.strings(n.children.list())
	}
	if op != opGetChildren {
		e.stat(n)
	}
}
