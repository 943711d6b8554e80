package sqlpool

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// Open makes the pool of a client process.
func Open(c driver.Connector, client *cell.Client) *sql.DB {
	most := client.Setting(stage.PoolSize)
	if most == 0 {
		return sql.OpenDB(c)
	}
	if client.Process() == nil {
		db := sql.OpenDB(c)
		db.SetMaxOpenConns(most)
		return db
	}
	p := &pool{Connector: c, process: client.Process(), most: most}
	p.db = sql.OpenDB(p)
	return p.db
}

// pool is a limited number of connections, below an [sql.DB] that has no limit and keeps
// none idle. The limit of sql.DB itself cannot be simulated: it serves waiters in a random
// order that cannot be seeded, and it passes on a connection together with a mutex that a
// Result of the previous user still locks, which may block while the next user holds it
// and waits for the network.
type pool struct {
	driver.Connector
	db      *sql.DB
	process *sim.Process
	most    int

	mu     sync.Mutex // never held while anything is waited for
	open   int        // connections that are in use, idle, or being made
	idle   []conn     // the last one returned is used next
	queue  []chan conn
	closed bool
}

// conn is a connection of the driver.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.NamedValueChecker
}

// errClosed has the text of database/sql's own.
var errClosed = errors.New("sql: database is closed")

// Connect returns a connection that is idle, or a new one, or waits until another is
// given back.
func (p *pool) Connect(ctx context.Context) (driver.Conn, error) {
	p.db.SetMaxIdleConns(-1) // also if the lock sets another number
	p.process.AwaitTurnFor("pool", p)
	for {
		c, err := p.take(ctx)
		if err != nil {
			return nil, err
		}
		if c == nil {
			return p.dial(ctx)
		}
		if err := c.ResetSession(ctx); err == nil {
			return &borrowed{conn: c, of: p}, nil
		}
		p.put(c, false) // the server has closed it
	}
}

// take waits for its turn, and returns an idle connection, or nil if the caller may
// make another.
func (p *pool) take(ctx context.Context) (conn, error) {
	p.mu.Lock()
	switch last := len(p.idle) - 1; {
	case p.closed:
		p.mu.Unlock()
		return nil, errClosed
	case last >= 0:
		c := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		return c, nil
	case p.open < p.most:
		p.open++
		p.mu.Unlock()
		return nil, nil
	}
	turn := make(chan conn, 1)
	p.queue = append(p.queue, turn)
	p.mu.Unlock()
	return p.await(ctx, turn)
}

// await waits for a turn. A context that ends at the same instant comes first, whichever of
// the two the select takes.
func (p *pool) await(ctx context.Context, turn chan conn) (c conn, err error) {
	came, open := false, true
	select {
	case c, open = <-turn:
		came = true
	case <-ctx.Done():
		if !p.leave(turn) { // its turn has come meanwhile
			c, open = <-turn
			came = true
		}
	}
	switch {
	case !open:
		return nil, errClosed
	case ctx.Err() == nil:
		return c, nil
	case came:
		p.put(c, c != nil)
	}
	return nil, ctx.Err()
}

// leave gives up a place in the queue. It returns false if its turn has come already.
func (p *pool) leave(turn chan conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.queue, turn)
	if at < 0 {
		return false
	}
	p.queue = slices.Delete(p.queue, at, at+1)
	return true
}

// dial makes a connection.
func (p *pool) dial(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		p.put(nil, false)
		return nil, err
	}
	return &borrowed{conn: c.(conn), of: p}, nil
}

// put gives a connection back or, if it is not good any more, its place.
func (p *pool) put(c conn, good bool) {
	if c != nil && !good {
		_ = c.Close() // as database/sql does
		c = nil
	}
	if p.keep(c) {
		return
	}
	_ = c.Close()
}

// keep passes a connection, or its place, on to the first waiter, or keeps it for later.
// It returns false for a connection of a closed pool.
func (p *pool) keep(c conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return c == nil
	case len(p.queue) > 0:
		p.queue[0] <- c
		p.queue = p.queue[1:]
	case c != nil:
		p.idle = append(p.idle, c)
	default:
		p.open--
	}
	return true
}

// Close closes idle connections, and refuses others from now on. It is called by
// [sql.DB.Close].
func (p *pool) Close() error {
	p.mu.Lock()
	idle, queue := p.idle, p.queue
	p.idle, p.queue, p.closed = nil, nil, true
	p.mu.Unlock()
	for _, turn := range queue {
		close(turn)
	}
	var errs []error
	for _, c := range idle {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// borrowed is a connection in use.
type borrowed struct {
	conn
	of   *pool
	good bool
}

// IsValid is called when the connection is given back, unless it has failed.
func (b *borrowed) IsValid() bool {
	v, validates := b.conn.(driver.Validator)
	b.good = !validates || v.IsValid()
	return b.good
}

// Close gives the connection back.
func (b *borrowed) Close() error {
	b.of.put(b.conn, b.good)
	return nil
}
