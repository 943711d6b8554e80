package simredis

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// An operator's steps to move a slot, for the conductor: the commands of redis-cli, as if they had
// just arrived, without a client.

// OpenSlot begins to move a slot to another master: the target is IMPORTING, and the owner is MIGRATING.
// From now on the owner redirects requests for keys that it does not have to the target. OpenSlot fails
// if no node owns the slot, or if one of the two is down, hangs, or is not a suitable master.
func (b *Shards) OpenSlot(slot int, to *Node) error {
	source, err := b.open(slot)
	switch {
	case err != nil:
		return err
	case to.member == nil || to.member.bus != b || !awake(to) || to == source.node || !to.IsPrimary():
		return fmt.Errorf("simredis: %s cannot import slot %d", to.Name(), slot)
	}
	b.watch(slot)
	to.member.importing[slot] = source.number
	source.migrating[slot] = to.member.number
	b.show()
	return nil
}

// open returns the owner of a slot, if it can execute commands.
func (b *Shards) open(slot int) (*member, error) {
	for _, m := range b.members {
		if _, claims := m.claims(slot); claims && awake(m.node) && m.transfer == nil && m.node == b.ownerOf(slot) {
			return m, nil
		}
	}
	return nil, fmt.Errorf("simredis: the owner of slot %d, if there is one, is not to be reached", slot)
}

func awake(n *Node) bool { return !n.Down() && !n.Hangs() }

// MigrateKey sends a key from the owner of its slot to the master that the slot goes to, by MIGRATE with
// a timeout. The owner executes nothing until the MIGRATE ends; then done is called with the error that
// Redis would answer, empty if there is none. Done is not called if the owner ends before. Replace
// overwrites the key of the target. MigrateKey fails if the slot is not open, or the owner does not have
// the key.
func (b *Shards) MigrateKey(key string, replace bool, timeout time.Duration, done func(refused string)) error {
	source, err := b.open(Slot(key))
	if err != nil {
		return err
	}
	to, migrating := source.migrating[Slot(key)]
	if !migrating {
		return fmt.Errorf("simredis: slot %d goes nowhere", Slot(key))
	}
	t := &transfer{keys: []string{key}, replace: replace, timeout: timeout, by: model.Origin{}, done: done}
	parcels := source.pack(t)
	if len(parcels) == 0 {
		return fmt.Errorf("simredis: %s has no key %s", source.node.Name(), key)
	}
	if refused := source.begins(t, b.members[to], parcels); refused != "" {
		done(refused)
	}
	return nil
}

// FinishSlot gives an open slot to its target, by SETSLOT NODE: the target takes a new config epoch and
// informs all nodes. The old owner drops its remaining keys of the slot when it learns of that.
func (b *Shards) FinishSlot(slot int) error {
	source, err := b.open(slot)
	if err != nil {
		return err
	}
	number, migrating := source.migrating[slot]
	if !migrating || !awake(b.members[number].node) || !b.members[number].isMaster() {
		return fmt.Errorf("simredis: slot %d goes nowhere", slot)
	}
	to := b.members[number]
	if reason := to.setOwner(slot, to.id); reason != "" {
		return fmt.Errorf("simredis: %s: %s", to.node.Name(), reason)
	}
	to.update()
	return nil
}

// SettleSlot informs the old owner of a slot of the new one, by SETSLOT NODE, so that it is not still MIGRATING if it
// gets the slot again. It fails if the node is down, or hangs, or has keys of the slot and still owns it.
func (b *Shards) SettleSlot(slot int, at *Node) error {
	owner := b.ownerOf(slot)
	if at.member == nil || at.member.bus != b || !awake(at) || owner == nil {
		return fmt.Errorf("simredis: %s is not to be reached", at.Name())
	}
	if !at.member.isMaster() {
		return nil // a replica does not know of the move
	}
	if reason := at.member.setOwner(slot, owner.member.id); reason != "" {
		return fmt.Errorf("simredis: %s: %s", at.Name(), reason)
	}
	at.member.update()
	return nil
}

// StableSlot ends a move of a slot at one of its two nodes, by SETSLOT STABLE, without moving keys. It fails if the
// node is down, or hangs.
func (b *Shards) StableSlot(slot int, at *Node) error {
	if at.member == nil || at.member.bus != b || !awake(at) {
		return fmt.Errorf("simredis: %s is not to be reached", at.Name())
	}
	delete(at.member.migrating, slot)
	delete(at.member.importing, slot)
	at.member.update()
	return nil
}

// Opened reports whether the owner of a slot redirects clients to another master for keys that it does not
// have.
func (b *Shards) Opened(slot int) bool {
	for _, m := range b.members {
		if m.node == b.ownerOf(slot) {
			_, migrating := m.migrating[slot]
			return migrating
		}
	}
	return false
}

// SlotOwner returns the node that really owns a slot: see [Shards.Owner].
func (b *Shards) SlotOwner(slot int) *Node { return b.ownerOf(slot) }

// Used returns the slots in which a client has ever written a key, in order.
func (b *Shards) Used() []int {
	used := map[int]bool{}
	for _, m := range b.members {
		for key := range m.node.versions { // unordered: a set
			used[Slot(key)] = true
		}
	}
	return slices.Sorted(maps.Keys(used))
}

// KeysIn returns the keys of a slot that a node has, in order.
func (b *Shards) KeysIn(slot int, n *Node) []string { return n.member.keysIn(slot) }
