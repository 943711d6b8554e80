package simzk

import (
	"slices"
	"time"
)

// txn is a transaction: what the leader proposes and every server applies. It
// says what becomes of a request, so that applying it needs no decision.
type txn struct {
	zxid    int64
	at      int64 // the leader's clock, in milliseconds
	session int64
	op      opcode // of the request
	// code is why the request fails as a whole; a request that fails takes a zxid, too.
	// A multi that fails has the code of each of its parts instead.
	code  code
	parts []part

	timeout  time.Duration // of a new session
	password []byte        // of a new session
}

// part is one operation of a transaction: a multi has one for each of its
// operations, a session that is closed one for each of its ephemeral znodes.
type part struct {
	op        opcode
	code      code // of an operation of a multi that fails
	path      string
	data      []byte
	acl       []acl
	ephemeral bool
	version   int32 // the new one of the znode; of a create, its parent's cversion
}

// failed reports whether the transaction changes nothing because its request,
// or a part of it, failed.
func (t *txn) failed() bool {
	return t.code != codeOK || slices.ContainsFunc(t.parts, func(p part) bool { return p.code != codeOK })
}

// newSessionTxn opens a session.
func newSessionTxn(session int64, timeout time.Duration, password []byte, zxid, at int64) *txn {
	return &txn{zxid: zxid, at: at, session: session, op: opCreateSession, timeout: timeout, password: password}
}

// answer returns the code and the body of the reply to the request of a transaction,
// from the changes that applying it made.
func (t *txn) answer(changes []change) (code, []byte) {
	var e encoder
	switch {
	case t.code != codeOK:
		return t.code, nil
	case t.op == opMulti:
		e.results(t, changes)
	case len(changes) == 1:
		e.result(t.op, changes[0])
	}
	return codeOK, e.frame
}

// results appends the results of a multi: those of its parts, or for one that
// failed an error each.
func (e *encoder) results(t *txn, changes []change) {
	failed := t.failed()
	for _, p := range t.parts {
		if failed {
			e.multiHeader(opError, false, p.code)
			e.int(int32(p.code))
			continue
		}
		e.multiHeader(p.op, false, codeOK)
		if p.op != opCheck {
			e.result(p.op, changes[0])
			changes = changes[1:]
		}
	}
	e.multiHeader(opError, true, -1)
}

// multiHeader appends what precedes each result of a multi, and what follows the last
// one.
func (e *encoder) multiHeader(op opcode, done bool, c code) {
	e.int(int32(op))
	e.bool(done)
	e.int(int32(c))
}

// result appends what an operation answers about the change that it made.
func (e *encoder) result(op opcode, c change) {
	switch op {
	case opCreate:
		e.string(c.path)
	case opCreate2:
		e.string(c.path)
		e.stat(c.node)
	case opSetData, opSetACL:
		e.stat(c.node)
	}
}
