package redis

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/simredis"
)

// Parts returns the slots of the shard that clients have used.
func (s *shard) Parts() (list []string) {
	for _, slot := range s.all.Used() {
		if o := s.all.SlotOwner(slot); o != nil && s.has(o) {
			list = append(list, strconv.Itoa(slot))
		}
	}
	return list
}

func (s *shard) has(n *simredis.Node) bool {
	for _, mine := range s.Cluster.Nodes() {
		if mine == n {
			return true
		}
	}
	return false
}

// Migrate begins to move a slot to another shard, as redis-cli does.
func (s *shard) Migrate(part string, to *stage.Server) (stage.Migration, error) {
	slot, err := strconv.Atoi(part)
	if err != nil {
		return nil, fmt.Errorf("redis: %q is no slot", part)
	}
	m := &migration{all: s.all, slot: slot, from: s.all.SlotOwner(slot), to: to.Serving().(node).Node}
	return m, m.all.OpenSlot(slot, m.to)
}

// migration is a slot that moves.
type migration struct {
	all      *simredis.Shards
	slot     int
	from, to *simredis.Node
}

func (m *migration) Nodes() (from, to stage.Node) { return node{m.from}, node{m.to} }

// Left returns the keys that the owner has.
func (m *migration) Left() ([]string, error) {
	if !m.all.Opened(m.slot) || m.all.SlotOwner(m.slot) != m.from {
		return nil, fmt.Errorf("redis: slot %d is not on its way any more", m.slot)
	}
	return m.all.KeysIn(m.slot, m.from), nil
}

// Arrived returns the keys that the target has.
func (m *migration) Arrived() []string { return m.all.KeysIn(m.slot, m.to) }

// migrateTimeout is redis-cli's timeout.
const migrateTimeout = time.Minute

// Move executes MIGRATE.
func (m *migration) Move(key string, replace bool, done func(reason string)) error {
	return m.all.MigrateKey(key, replace, migrateTimeout, done)
}

// Finish executes SETSLOT NODE at the target.
func (m *migration) Finish() error { return m.all.FinishSlot(m.slot) }

// Close executes SETSLOT NODE at the old owner.
func (m *migration) Close() error { return m.all.SettleSlot(m.slot, m.from) }

// Keep executes SETSLOT STABLE at the owner.
func (m *migration) Keep() error { return m.all.StableSlot(m.slot, m.from) }

// Forget executes SETSLOT STABLE at the target.
func (m *migration) Forget() error { return m.all.StableSlot(m.slot, m.to) }
