package holders

import "github.com/lockpick-dev/lockpick/model"

// A Holders finds who had the lock in a history: by what its clients believed, and by the records of the stores. Shared
// results are computed once. It is not safe for concurrent use.
type Holders struct {
	h *model.History
	o Options

	claims []model.Claim // in the order in which they begin
	// released has, by the ID of an acquisition, the ID of the operation that released it first, or 0.
	released []int
	keys     []string // result of LockKeys, once called
	held     []Tenure // result of Tenures, once called
	index    index
	shares   tenureIndex
	unread   error
}

// Options say how a lock is kept in the stores.
type Options struct {
	// Spec is the kind of object; the zero Spec is a mutex.
	Spec model.Spec
	// LockKeys are the keys that hold the lock; nil means those that the history shows ([model.History.LockKeys]).
	LockKeys []string
	// Ownership, if set, finds the holders in the records of an authority, in place of LockKeys.
	Ownership model.Ownership
	// Queue is the key of the list of waiters, if the lock promises an order.
	Queue string
	// Nodes is the number of independent nodes of which a majority must have the key; less than 2 means one authority.
	Nodes int
	// Servers are groups of nodes that may take each other's place, one for each independent server.
	Servers [][]string
	// Apart is set if the lock chose one of several independent servers, so that one authority has the key.
	Apart bool
	// Part returns the part of the store that a key belongs to, for a store whose parts may move between servers.
	Part func(key string) string
	// Measured is that of [model.Terms].
	Measured bool
}

// New returns the Holders of a history. The history is not changed, and must not be changed while they are used.
func New(h *model.History, o Options) *Holders {
	hs := &Holders{h: h, o: o, claims: claimsOf(h), released: make([]int, len(h.Operations)+1)}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Kind == model.Release && h.Operation(op.Acquisition) != nil {
			first := &hs.released[op.Acquisition]
			if *first == 0 || op.Call.Seq < h.Operation(*first).Call.Seq {
				*first = i + 1
			}
		}
	}
	return hs
}

// Released returns the ID of the first Release of an acquisition, by its ID, or 0.
func (hs *Holders) Released(acquisition int) int { return hs.released[acquisition] }

// Claims returns the claims of the successful Acquires, in the order in which they begin. They must not be changed.
func (hs *Holders) Claims() []model.Claim { return hs.claims }

// Unreadable returns why the Ownership could not read a record; nil if it could, or was not used.
func (hs *Holders) Unreadable() error { return hs.unread }
