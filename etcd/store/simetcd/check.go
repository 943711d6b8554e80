package simetcd

// What a server looks at before a request goes any further, as etcd's package v3rpc has it.

// maxOps is how many operations, or conditions, a transaction may have, with those of the
// longest path of transactions within it.
const maxOps = 128

func (r *rangeRequest) check() status {
	switch {
	case r.key == "":
		return errEmptyKey
	case r.order < unsorted || r.order > descending || r.target < byKey || r.target > byValue:
		return errInvalidSort
	}
	return status{}
}

func (r *putRequest) check() status {
	switch {
	case r.key == "":
		return errEmptyKey
	case r.ignoreValue && r.value != "":
		return errValueProvided
	case r.ignoreLease && r.lease != 0:
		return errLeaseProvided
	}
	return status{}
}

func (r *deleteRequest) check() status {
	if r.key == "" {
		return errEmptyKey
	}
	return status{}
}

func (r *txnRequest) check() status {
	if err := r.checkOps(maxOps); err != (status{}) {
		return err
	}
	for _, list := range [][]op{r.success, r.failure} {
		if _, _, ok := disjoint(list); !ok {
			return errDuplicateKey
		}
	}
	return status{}
}

// checkOps looks at each condition and operation by itself. So many of them may there be.
func (r *txnRequest) checkOps(most int) status {
	count := max(len(r.compares), len(r.success), len(r.failure))
	if count > most {
		return errTooManyOps
	}
	for i := range r.compares {
		if r.compares[i].key == "" {
			return errEmptyKey
		}
	}
	for _, list := range [][]op{r.success, r.failure} {
		for i := range list {
			if err := list[i].check(most - count); err != (status{}) {
				return err
			}
		}
	}
	return status{}
}

func (o *op) check(most int) status {
	switch {
	case o.get != nil:
		return o.get.check()
	case o.put != nil:
		return o.put.check()
	case o.remove != nil:
		return o.remove.check()
	case o.txn != nil:
		return o.txn.checkOps(most)
	}
	return errKeyNotFound
}

// interval is a range of keys that a transaction deletes, up to its end and without it. An
// empty end is behind all keys.
type interval struct{ from, end string }

// has reports whether a key is in the interval. A range whose end is infinite has no key
// here: etcd's servers take that end for a key, which is before all others.
func (i interval) has(key string) bool {
	return i.from <= key && (i.end == "" || key < i.end)
}

// intervals are several ranges of keys.
type intervals []interval

func (list intervals) has(key string) bool {
	for _, i := range list {
		if i.has(key) {
			return true
		}
	}
	return false
}

// disjoint reports whether no key that is put by some operations is put or deleted by
// another. Two branches of one transaction may both put a key.
func disjoint(ops []op) (puts map[string]bool, removes intervals, ok bool) {
	for _, o := range ops {
		switch {
		case o.remove == nil:
		case o.remove.end == "":
			removes = append(removes, interval{o.remove.key, o.remove.key + "\x00"})
		default:
			removes = append(removes, interval{o.remove.key, o.remove.end})
		}
	}
	puts = make(map[string]bool)
	for _, o := range ops {
		if o.txn != nil {
			if removes, ok = disjointWithin(o.txn, puts, removes); !ok {
				return nil, nil, false
			}
		}
	}
	for _, o := range ops {
		if o.put == nil {
			continue
		}
		if puts[o.put.key] || removes.has(o.put.key) {
			return nil, nil, false
		}
		puts[o.put.key] = true
	}
	return puts, removes, true
}

// disjointWithin adds what a transaction among the operations puts and deletes.
func disjointWithin(r *txnRequest, puts map[string]bool, removes intervals) (intervals, bool) {
	success, removed, ok := disjoint(r.success)
	if !ok {
		return nil, false
	}
	failure, removedElse, ok := disjoint(r.failure)
	if !ok {
		return nil, false
	}
	for _, branch := range []map[string]bool{success, failure} {
		for key := range branch { // unordered: whether there is one that clashes
			if removes.has(key) || puts[key] {
				return nil, false
			}
		}
	}
	for _, branch := range []map[string]bool{success, failure} {
		for key := range branch { // unordered: a set
			puts[key] = true
		}
	}
	return append(append(removes, removed...), removedElse...), true
}
