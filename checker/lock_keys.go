package checker

import "slices"

// lockKeys are the lock's keys: Options.LockKeys, or else those of the history
// ([model.History.LockKeys]). There are none for an object that several may hold at
// once, without an Ownership.
func (j *judge) lockKeys() []string {
	switch {
	case j.o.LockKeys != nil:
		return j.o.LockKeys
	case j.keys == nil && (!j.several() || j.o.Ownership != nil):
		j.keys = j.h.LockKeys(j.o.Ownership)
	}
	return j.keys
}

// lockKey returns the key that stands for the lock: the one that has its name, or
// else the first. It is empty if the lock has no key, has several records without a
// main one, or may be held by several at once: the last writer of the key need not
// hold it.
func (j *judge) lockKey() string {
	keys := j.lockKeys()
	switch {
	case j.several():
	case slices.Contains(keys, j.h.LockName):
		return j.h.LockName
	case len(keys) == 1, len(keys) > 1 && j.o.Ownership == nil:
		return keys[0]
	}
	return ""
}
