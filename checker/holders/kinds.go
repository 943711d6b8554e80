package holders

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// kinds are facts about the kinds of objects that are no mutex.
var kinds = map[model.Kind]struct {
	// noun is the thing that clients wait for.
	noun string
	// held is set if clients hold it, and counted if they hold permits.
	held, counted bool
	// leased is set if the model knows that holds may end by themselves.
	leased bool
}{

	model.KindReadWrite:       {noun: "the lock", held: true},
	model.KindReentrant:       {noun: "the lock", held: true},
	model.KindSemaphore:       {noun: "its permits", held: true, counted: true},
	model.KindPermitSemaphore: {noun: "a permit", held: true, counted: true, leased: true},
	model.KindLatch:           {noun: "the latch to open"},
	model.KindBarrier:         {noun: "the others at the barrier"},
	model.KindStock:           {noun: "its order to be served"},
}

// Holdable reports whether clients can hold objects of a kind.
func Holdable(k model.Kind) bool {
	f, other := kinds[k]
	return !other || f.held
}

// IsMutex reports whether objects of a kind are mutexes.
func IsMutex(k model.Kind) bool {
	_, other := kinds[k]
	return !other
}

// Leased reports whether the model of a kind allows holds to expire.
func Leased(k model.Kind) bool { return kinds[k].leased }

// Counted reports whether objects of a kind are held in permits.
func Counted(k model.Kind) bool { return kinds[k].counted }

// Noun names the thing that clients wait for.
func (hs *Holders) Noun() string {
	if f, other := kinds[hs.o.Spec.Kind]; other {
		return f.noun
	}
	return "the lock"
}

// Several reports whether several clients may hold the object at once, so that its key in the store has no single owner.
func (hs *Holders) Several() bool {
	return hs.o.Spec.Kind == model.KindReadWrite || !Holdable(hs.o.Spec.Kind) || Counted(hs.o.Spec.Kind)
}

// LockKeys returns the lock's keys: Options.LockKeys, or else those of the history
// ([model.History.LockKeys]). There are none for an object that several may hold at
// once, without an Ownership.
func (hs *Holders) LockKeys() []string {
	switch {
	case hs.o.LockKeys != nil:
		return hs.o.LockKeys
	case hs.keys == nil && (!hs.Several() || hs.o.Ownership != nil):
		hs.keys = hs.h.LockKeys(hs.o.Ownership)
	}
	return hs.keys
}

// LockKey returns the key that stands for the lock: the one that has its name, or
// else the first. It is empty if the lock has no key, has several records without a
// main one, or may be held by several at once: the last writer of the key need not
// hold it.
func (hs *Holders) LockKey() string {
	keys := hs.LockKeys()
	switch {
	case hs.Several():
	case slices.Contains(keys, hs.h.LockName):
		return hs.h.LockName
	case len(keys) == 1, len(keys) > 1 && hs.o.Ownership == nil:
		return keys[0]
	}
	return ""
}
