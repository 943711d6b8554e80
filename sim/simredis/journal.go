package simredis

import "time"

// syncEvery is the period at which a node writes to its disk: appendfsync everysec.
const syncEvery = time.Second

// undo is the state of a key before a write, nil if it did not exist.
type undo struct {
	at    time.Duration
	key   string
	entry *entry
}

// journal undoes the writes of the last second, for a restart that loses them.
type journal []undo

// enter puts a key into the keyspace, or takes it out if there is no entry.
func (n *Node) enter(key string, e *entry) {
	now := n.world.Now()
	for len(n.journal) > 0 && n.journal[0].at <= now-syncEvery {
		n.journal = n.journal[1:]
	}
	n.journal = append(n.journal, undo{now, key, n.data[key]})
	if e == nil {
		delete(n.data, key)
	} else {
		n.data[key] = e
	}
}

// restore sets the node's keyspace to the data that it has kept over a crash.
func (n *Node) restore(k Kept) {
	kept := keyspace{}
	switch k {
	case KeptAll:
		return
	case KeptUntilSync:
		kept = n.data.clone()
		for i := len(n.journal) - 1; i >= 0; i-- {
			switch u := n.journal[i]; {
			case u.at <= n.crashed-syncEvery:
			case u.entry == nil || u.entry.hidden: // hidden: it was a replica then
				delete(kept, u.key)
			default:
				kept[u.key] = u.entry
			}
		}
	}
	now := n.now()
	for _, key := range kept.keys() {
		if kept[key].expired(now) && n.data[key] == nil {
			delete(kept, key) // its expiry is lost, but that it expires is not
		}
	}
	n.load(kept)
}
