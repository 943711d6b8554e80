package sqllocks

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

// Unique is a row under a primary key: the client that inserts it has the lock, and
// deletes it to release the lock. Nobody else can insert it meanwhile.
//
// It guarantees mutual exclusion as long as the database loses no commit. It has no lease:
// the row of a holder that crashes stays until somebody deletes it by hand (scenario
// holder-crash, property progress), and so does one whose insertion arrives when its client
// has given up and cleaned up (late-request, progress). A failover that loses the row frees the lock
// (failover-loss, mutual-exclusion).
//
// A row belongs to its acquisition, by a random value. An insertion whose answer was lost
// is recognized by it, and removed if the client gives up.
//
// Requests: acquire 1 without contention, release 1; a waiter asks again after each pause.
type Unique struct {
	db      *sql.DB
	name    string
	options *recipe.Options
}

// NewUnique returns a locker for the named lock. It is safe for concurrent use. [Create]
// makes its table.
func NewUnique(db *sql.DB, name string, options Options) *Unique {
	return &Unique{db, name, options.recipe()}
}

// Acquire waits until the lock is held or ctx is done. If it returns an error the row is
// removed, in the background, as soon as the database can be reached.
func (u *Unique) Acquire(ctx context.Context) (lock.Lease, error) {
	h := uniqueHold{of: u, owner: rand.Text()}
	open, err := u.options.Persist(ctx, func(open bool) (bool, error) { return u.try(ctx, h.owner, open) })
	if err == nil {
		return h, nil
	}
	if open {
		u.options.Afterwards(u.db, h.row())
	}
	return nil, recipe.LockError("acquire", err)
}

// try inserts the row. If the outcome of an earlier try is open, an existing row may be
// the acquisition's own.
func (u *Unique) try(ctx context.Context, owner string, open bool) (held bool, err error) {
	_, err = u.options.Exec(ctx, u.db, `INSERT INTO lock_owners (name, owner) VALUES (?, ?)`, u.name, owner)
	if recipe.Number(err) != recipe.DuplicateKey {
		return err == nil, err
	}
	if !open {
		return false, nil
	}
	var other string
	err = u.options.Row(ctx, u.db, []any{&other}, `SELECT owner FROM lock_owners WHERE name = ?`, u.name)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return other == owner, err
}

// uniqueHold is a row.
type uniqueHold struct {
	of    *Unique
	owner string
}

// row returns the statement that deletes the row.
func (h uniqueHold) row() recipe.GiveBack {
	return recipe.GiveBack{Statement: `DELETE FROM lock_owners WHERE name = ? AND owner = ?`, Args: []any{h.of.name, h.owner}}
}

// Release deletes the row. It tries until the statement is answered or ctx is done, and
// then in the background. It returns [lock.ErrNotHeld] if the row was gone.
func (h uniqueHold) Release(ctx context.Context) error {
	return h.of.options.Release(ctx, h.of.db, h.row())
}
