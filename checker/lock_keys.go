package checker

import "slices"

// lockKeys are the keys that are the lock's: those that whoever asks knows of, or
// else those of the history ([model.History.LockKeys]). Of what several may
// hold at once, and nothing reads, it has none.
func (j *judge) lockKeys() []string {
	switch {
	case j.o.LockKeys != nil:
		return j.o.LockKeys
	case j.keys == nil && (!j.several() || j.o.Ownership != nil):
		j.keys = j.h.LockKeys(j.o.Ownership)
	}
	return j.keys
}

// lockKey returns the key that stands for the lock where one has to: the one that
// has its name, or else the first. It is empty if the lock has none, is had by
// records of which none stands for the others, or by several at once: who wrote the
// key last need not be who has it.
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
