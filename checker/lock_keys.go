package checker

import "slices"

// lockKeys are the keys that are the lock's: those that whoever asks knows of, or
// else those that the history shows ([model.History.LockKeys]). Of what several may
// hold at once it shows none.
func (j *judge) lockKeys() []string {
	switch {
	case j.o.LockKeys != nil:
		return j.o.LockKeys
	case j.keys == nil && (!j.several() || j.o.Ownership != nil):
		j.keys = j.h.LockKeys()
	}
	return j.keys
}

// lockKey returns the key that stands for the lock where one has to: the one that
// has its name, or else the first. It is empty if the lock has none.
func (j *judge) lockKey() string {
	keys := j.lockKeys()
	switch {
	case slices.Contains(keys, j.h.LockName) || j.o.Ownership != nil && j.isLocks(j.h.LockName):
		return j.h.LockName
	case len(keys) > 0:
		return keys[0]
	}
	return ""
}

// isLocks reports whether the key is one by which somebody has had the lock.
func (j *judge) isLocks(key string) bool {
	return slices.ContainsFunc(j.tenures(), func(t tenure) bool { return t.key == key })
}
