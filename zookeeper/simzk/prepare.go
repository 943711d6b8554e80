package simzk

import "fmt"

// prepare makes a session's request that writes into a transaction. The state is
// the leader's after all transactions that it has proposed. A request of a
// session that the state does not have, or no longer has, fails with
// SessionExpired.
func (s *state) prepare(session int64, r *request, zxid, at int64) *txn {
	t := &txn{zxid: zxid, at: at, session: session, op: r.op}
	p := preparation{state: s, session: session}
	switch {
	case r.malformed:
		t.code = codeMarshallingError
	case r.op == opClose:
		t.parts = s.removals(session)
	case r.op == opMulti:
		p.changed = make(map[string]target)
		t.parts = p.all(r.ops)
	default:
		one := p.operation(r)
		if t.code = one.code; one.code == codeOK {
			t.parts = []part{one}
		}
	}
	return t
}

// removals are those of a session's ephemeral znodes.
func (s *state) removals(session int64) (parts []part) {
	for _, path := range s.ephemerals[session].copied().list() {
		parts = append(parts, part{op: opDelete, path: path})
	}
	return parts
}

// preparation makes operations of one request into parts of its transaction.
type preparation struct {
	state   *state
	session int64
	// changed are the znodes that earlier operations of a multi change, as they
	// leave them.
	changed map[string]target
}

// target is what matters of a znode to the operations upon it.
type target struct {
	gone           bool
	version        int32
	cversion       int32
	aversion       int32
	ephemeralOwner int64
	acl            []acl
	children       int
}

// all prepares the operations of a multi. If one of them fails, those before it have no
// error and those after it a RuntimeInconsistency.
func (p *preparation) all(ops []*request) (parts []part) {
	for i, op := range ops {
		one := p.operation(op)
		parts = append(parts, one)
		if one.code != codeOK {
			for _, rest := range ops[i+1:] {
				parts = append(parts, part{op: rest.op, code: codeRuntimeInconsistency})
			}
			return parts
		}
	}
	return parts
}

// operation prepares one operation, which fails if the part has a code.
func (p *preparation) operation(r *request) (done part) {
	if _, open := p.state.sessions[p.session]; !open {
		return part{op: r.op, code: codeSessionExpired}
	}
	switch r.op {
	case opCreate, opCreate2:
		done = p.create(r)
	case opDelete:
		done = p.delete(r)
	case opSetData:
		done = p.setData(r)
	case opSetACL:
		done = p.setACL(r)
	case opCheck:
		done = p.check(r)
	default:
		done.code = codeUnimplemented
	}
	done.op = r.op
	return done
}

func (p *preparation) create(r *request) part {
	switch {
	case r.flags < 0 || r.flags > lastKind:
		return part{code: codeBadArguments}
	case r.flags > lastServedKind:
		return part{code: codeUnimplemented}
	case !splits(r.path):
		return part{code: codeBadArguments}
	}
	list, ok := accepted(r.acl)
	if !ok {
		return part{code: codeInvalidACL}
	}
	parentPath, _ := split(r.path)
	parent, c := p.find(parentPath, permCreate)
	if c != codeOK {
		return part{code: c}
	}
	path := r.path
	if r.flags&flagSequential != 0 {
		path += fmt.Sprintf("%010d", parent.cversion)
	}
	_, c = p.find(path, 0)
	switch {
	case !valid(path):
		return part{code: codeBadArguments}
	case c == codeOK:
		return part{code: codeNodeExists}
	case parent.ephemeralOwner != 0:
		return part{code: codeNoChildrenForEphemerals}
	}
	parent.cversion++
	parent.children++
	p.change(parentPath, parent)
	created := target{acl: list}
	if r.flags&flagEphemeral != 0 {
		created.ephemeralOwner = p.session
	}
	p.change(path, created)
	return part{path: path, data: r.data, acl: list, ephemeral: created.ephemeralOwner != 0, version: parent.cversion}
}

func (p *preparation) delete(r *request) part {
	if !splits(r.path) || special(r.path) {
		return part{code: codeBadArguments}
	}
	parentPath, _ := split(r.path)
	parent, c := p.find(parentPath, permDelete)
	if c != codeOK {
		return part{code: c}
	}
	node, c := p.find(r.path, 0)
	switch {
	case c != codeOK:
		return part{code: c}
	case !matches(r.version, node.version):
		return part{code: codeBadVersion}
	case node.children > 0:
		return part{code: codeNotEmpty}
	}
	parent.children--
	p.change(parentPath, parent)
	p.change(r.path, target{gone: true})
	return part{path: r.path}
}

func (p *preparation) setData(r *request) part {
	node, c := p.findVersion(r, permWrite)
	if c != codeOK {
		return part{code: c}
	}
	node.version++
	p.change(r.path, node)
	return part{path: r.path, data: r.data, version: node.version}
}

func (p *preparation) check(r *request) part {
	_, c := p.findVersion(r, permRead)
	return part{path: r.path, code: c}
}

func (p *preparation) setACL(r *request) part {
	if !valid(r.path) {
		return part{code: codeBadArguments}
	}
	list, ok := accepted(r.acl)
	if !ok {
		return part{code: codeInvalidACL}
	}
	node, c := p.find(r.path, permAdmin)
	switch {
	case c != codeOK:
		return part{code: c}
	case !matches(r.version, node.aversion):
		return part{code: codeBadVersion}
	}
	return part{path: r.path, acl: list, version: node.aversion + 1}
}

// findVersion returns the znode of a request that is about the version of its
// data.
func (p *preparation) findVersion(r *request, perms int32) (target, code) {
	if !valid(r.path) {
		return target{}, codeBadArguments
	}
	node, c := p.find(r.path, perms)
	if c == codeOK && !matches(r.version, node.version) {
		c = codeBadVersion
	}
	return node, c
}

// find returns the znode at a path if one of the permissions is granted on it;
// 0 asks for none.
func (p *preparation) find(path string, perms int32) (target, code) {
	found, ok := p.changed[path]
	if !ok {
		n := p.state.node(path)
		if n == nil {
			return target{}, codeNoNode
		}
		found = target{
			version: n.version, cversion: n.cversion, aversion: n.aversion,
			ephemeralOwner: n.ephemeralOwner, acl: n.acl, children: n.children.len(),
		}
	}
	switch {
	case found.gone:
		return target{}, codeNoNode
	case perms != 0 && !allows(found.acl, perms):
		return target{}, codeNoAuth
	}
	return found, codeOK
}

// change notes what a multi's later operations find at a path.
func (p *preparation) change(path string, after target) {
	if p.changed != nil {
		p.changed[path] = after
	}
}

// matches reports whether a version is the expected one; -1 expects any.
func matches(expected, version int32) bool { return expected == -1 || expected == version }
