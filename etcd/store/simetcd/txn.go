package simetcd

import (
	"cmp"
	"strings"
)

// branch is the outcome of a transaction's conditions: all of them, and those of transactions
// within it, are decided before anything is changed.
type branch struct {
	succeeded bool
	ops       []op
	within    []*branch // of the operations that are transactions, in their order
}

// decide chooses the branches of a transaction.
func (s *state) decide(r *txnRequest) *branch {
	b := &branch{succeeded: true, ops: r.success}
	for i := range r.compares {
		if !s.holds(&r.compares[i]) {
			b.succeeded, b.ops = false, r.failure
			break
		}
	}
	for _, o := range b.ops {
		if o.txn != nil {
			b.within = append(b.within, s.decide(o.txn))
		}
	}
	return b
}

// holds reports whether a condition holds for each key of its range. If there is none, it is
// decided for a key whose every number is 0; a value there is not equal to anything.
func (s *state) holds(c *compare) bool {
	found := s.find(c.key, c.end, s.revision)
	if len(found) == 0 {
		return c.target != targetValue && c.holdsFor(&keyValue{})
	}
	for _, kv := range found {
		if !c.holdsFor(kv) {
			return false
		}
	}
	return true
}

func (c *compare) holdsFor(kv *keyValue) bool {
	operand, value := c.operand, c.value
	if c.given != c.target {
		operand, value = 0, ""
	}
	var order int
	switch c.target {
	case targetVersion:
		order = cmp.Compare(kv.version, operand)
	case targetCreate:
		order = cmp.Compare(kv.create, operand)
	case targetMod:
		order = cmp.Compare(kv.mod, operand)
	case targetValue:
		order = strings.Compare(kv.value, value)
	case targetLease:
		order = cmp.Compare(kv.lease, operand)
	}
	switch c.result {
	case equal:
		return order == 0
	case greater:
		return order > 0
	case less:
		return order < 0
	case notEqual:
		return order != 0
	}
	return true
}

// walk calls a function for each operation of the branches that is no transaction, up to the
// first error.
func (b *branch) walk(f func(*op) status) status {
	within := b.within
	for i := range b.ops {
		var err status
		if b.ops[i].txn != nil {
			err, within = within[0].walk(f), within[1:]
		} else {
			err = f(&b.ops[i])
		}
		if err != (status{}) {
			return err
		}
	}
	return status{}
}

// possible reports whether the operations of the branches can be executed.
func (s *state) possible(b *branch) status {
	err := b.walk(func(o *op) status {
		switch {
		case o.put != nil && s.missing(o.put):
			return errKeyNotFound
		case o.put != nil && s.lacks(o.put.lease):
			return errLeaseNotFound
		}
		return status{}
	})
	if err != (status{}) {
		return err
	}
	return b.walk(func(o *op) status {
		if o.get == nil || o.get.revision == 0 {
			return status{}
		}
		return s.readable(o.get.revision, s.revision)
	})
}

// carryOut executes the operations of a branch, which must be possible.
func (t *transaction) carryOut(b *branch) *txnResponse {
	answer, within := &txnResponse{succeeded: b.succeeded}, b.within
	for _, o := range b.ops {
		var one response
		switch {
		case o.get != nil:
			one, _ = t.read(o.get, t.latest())
		case o.put != nil:
			one = t.put(o.put)
		case o.remove != nil:
			one = t.remove(o.remove)
		case o.txn != nil:
			one, within = t.carryOut(within[0]), within[1:]
		}
		answer.responses = append(answer.responses, one)
	}
	return answer
}

func (r *txnRequest) apply(s *state) (response, status) {
	b := s.decide(r)
	if err := s.possible(b); err != (status{}) {
		return nil, err
	}
	t := s.begin()
	answer := t.carryOut(b)
	t.end()
	answer.revision = s.revision
	return answer, status{}
}

// writes reports whether the transaction needs the log: it has an operation other than a
// range in one of its branches.
func (r *txnRequest) writes() bool {
	return !r.all(func(o *op) bool { return o.get != nil })
}

// serializable reports whether a transaction that does not write may be answered from what a
// server has.
func (r *txnRequest) serializable() bool {
	return r.all(func(o *op) bool { return o.get != nil && o.get.serializable })
}

// all reports whether something is true of all operations of both branches.
func (r *txnRequest) all(f func(*op) bool) bool {
	for _, list := range [][]op{r.success, r.failure} {
		for i := range list {
			if !f(&list[i]) {
				return false
			}
		}
	}
	return true
}

func (r *txnRequest) String() string {
	for _, o := range append(r.success[:len(r.success):len(r.success)], r.failure...) {
		switch {
		case o.put != nil:
			return "txn, " + o.put.String()
		case o.remove != nil:
			return "txn, " + o.remove.String()
		}
	}
	return "txn"
}
