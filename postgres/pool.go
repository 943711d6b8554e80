package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
)

// defaultConns is the limit of a pool of pgxpool: its default on machines with up to four processors. It is the
// same on all machines here.
const defaultConns = 4

// Pool returns a client process's pool of pgxpool to the serving node or to the pooler before it. It is closed
// when the run has ended, and may be closed earlier. Each of set may change all settings except those that
// [Route] sets.
//
// Everything is pgxpool's default except that connections are made in the simulated network, and that
// MaxConns is 4 on every machine. In scenarios that limit connections (stage.PoolSize) MaxConns is that limit.
// Several threads get connections in the order in which they ask.
func Pool(h cell.Host, set ...func(*pgxpool.Config)) *pgxpool.Pool {
	c := reach(h)
	config := defaults()
	config.MaxConns = defaultConns
	for _, f := range set {
		f(config)
	}
	Route(h, config.ConnConfig)
	if most := c.Setting(stage.PoolSize); most > 0 {
		config.MaxConns = int32(most)
	}
	if p := c.Process(); p != nil {
		config.ConnConfig.Tracer = inTurn(p, config.ConnConfig.Tracer)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	must(err)
	c.Cleanup(func() { go pool.Close() }) // it waits for connections that are in use
	return pool
}

// inTurn returns a tracer that lets threads that ask for a connection at one instant do so one after another.
func inTurn(p *sim.Process, other pgx.QueryTracer) pgx.QueryTracer {
	t := turns{p}
	if other == nil {
		return t
	}
	return multitracer.New(t, other)
}

// turns is a tracer of a pool that lets callers take their turns.
type turns struct{ process *sim.Process }

// TraceAcquireStart is called before a connection is taken from the pool.
func (t turns) TraceAcquireStart(ctx context.Context, pool *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	t.process.AwaitTurnFor("pool", pool)
	return ctx
}

// TraceAcquireEnd does nothing.
func (turns) TraceAcquireEnd(context.Context, *pgxpool.Pool, pgxpool.TraceAcquireEndData) {}

// TraceQueryStart does nothing.
func (turns) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (turns) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
