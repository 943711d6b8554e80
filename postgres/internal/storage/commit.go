package storage

import (
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// Commit makes the transaction's changes visible to all. It may wait for the host; if that wait is interrupted the transaction
// is committed all the same, with a warning. An error means that the transaction was rolled back.
func (b *Backend) Commit() error { return b.commit(false) }

// CommitAsync is Commit without a wait for the host or the disk: synchronous_commit = off.
func (b *Backend) CommitAsync() error { return b.commit(true) }

// shipping is the wait of a commit for the host.
type shipping struct {
	done bool
	err  error
}

func (b *Backend) commit(async bool) error {
	t := b.txn
	if t == nil {
		return nil
	}
	end := &Ending{By: b.client.Origin()}
	if t.failed {
		b.Abort(end)
		return nil
	}
	if err := t.serial.precommit(); err != nil {
		b.Abort(end)
		return err
	}
	for len(t.stack) > 1 {
		t.merge()
	}
	t.by = end.By
	if c := t.changes(); c != nil {
		async = async && !c.Define()
		if async {
			b.db.unflushed = append(b.db.unflushed, t)
		} else {
			b.db.flushed()
		}
		if b.db.host.Ship(b, c) && !async {
			if err := b.ship(t); err != nil {
				return err
			}
		}
	}
	b.db.commit(t)
	t.release(end)
	b.txn = nil
	b.db.purge()
	return nil
}

// ship waits until the host has shipped the commit. An error means that the statement was ended: the end of the backend
// completes the commit.
func (b *Backend) ship(t *Txn) error {
	w := &shipping{}
	b.ships, t.ships = w, true
	defer func() { b.ships = nil }()
	for !w.done && w.err == nil {
		if err := b.park("SyncRep"); err != nil {
			return err
		}
	}
	t.ships = false
	if w.err != nil {
		b.client.Notice(shippingWarning(w.err))
	}
	return nil
}

// shippingWarning is the warning about a commit that an error has kept from waiting for replicas.
func shippingWarning(err error) *pgerror.Error {
	w := pgerror.Warning("01000", "canceling wait for synchronous replication due to user request")
	if codeOf(err) == pgerror.AdminShutdown {
		w = pgerror.Warning(pgerror.AdminShutdown, "canceling the wait for synchronous replication and terminating connection due to administrator command")
	}
	return w.WithDetail("The transaction has already committed locally, but might not have been replicated to the standby.")
}

// commit enters the transaction's changes into the history of the database.
func (db *Database) commit(t *Txn) {
	if t.top().id != 0 || len(t.ops) > 0 {
		db.commits++
		t.number = db.commits
	}
	t.serial.commit()
	t.entered()
	for _, f := range t.top().onCommit {
		f()
	}
}
