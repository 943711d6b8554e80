package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/sqlpool"
)

// Connect returns a client process's pool of connections of database/sql, by pgx, to the serving node or to
// the pooler before it. The pool is closed when the run has ended, and may be closed earlier.
//
// Everything is the driver's and database/sql's default except that connections are made in the simulated
// network. In particular there are no time-outs: statements wait until their context ends or their connection
// breaks. The address acts like a name that is resolved for each connection: new connections go to the node
// that serves then.
//
// In scenarios that limit connections (stage.PoolSize) the pool has that limit, whatever
// sql.DB.SetMaxOpenConns is set to, and serves waiters in the order of their arrival. A client of
// cell.NewRealClient has the same limit from database/sql itself.
//
// In other scenarios, a limit set by sql.DB.SetMaxOpenConns may make runs differ if several threads wait for
// a connection at once: database/sql picks the next at random.
func Connect(h cell.Host) *sql.DB { return ConnectWith(h, nil) }

// ConnectWith is [Connect] with other settings of the driver. Set, if not nil, may change all of them except
// those that [Route] sets.
func ConnectWith(h cell.Host, set func(*pgx.ConnConfig)) *sql.DB {
	c := reach(h)
	config := defaults().ConnConfig
	if set != nil {
		set(config)
	}
	Route(h, config)
	db := sqlpool.Open(stdlib.GetConnector(*config), c)
	c.Cleanup(func() { _ = db.Close() })
	return db
}

// parsed is the configuration that pgx and pgxpool make of a connection string. It is made before any run: to make
// one, pgx looks for files in the home directory, and in a browser a run cannot wait for files.
var parsed, errParsed = pgxpool.ParseConfig(anyDSN)

// anyDSN is a connection string, whose address is replaced.
const anyDSN = "postgres://postgres@localhost:5432/postgres?sslmode=disable"

// defaults returns a copy of it.
func defaults() *pgxpool.Config {
	must(errParsed)
	config := parsed.Copy()
	config.ConnConfig.RuntimeParams = map[string]string{} // what environment variables say
	return config
}

// Route leads connections of a configuration to the simulated server, whatever host its connection string
// names. It sets the address, the role, the database, DialFunc and LookupFunc. The simulated server asks for
// no password and has no TLS, so TLSConfig is removed: a connection string needs no change for a test.
func Route(h cell.Host, config *pgx.ConnConfig) {
	c := reach(h)
	config.Host, config.Port = split(address(h))
	config.User, config.Database, config.Password = "postgres", "postgres", ""
	config.TLSConfig, config.Fallbacks, config.ValidateConnect = nil, nil, nil
	config.DialFunc = dialFunc(c)
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
}

// Direct returns the host as one whose connections go around the pooler, for clients that keep a session
// lock or listen. Without a pooler it changes nothing.
func Direct(h cell.Host) cell.Host { return direct{h} }

// direct is a host that goes around the pooler.
type direct struct{ cell.Host }

// reach returns the client of a host.
func reach(h cell.Host) *cell.Client { return h.AsClient().Reach("postgres", "postgres.Schema(...)") }

// address returns the address to connect to: that of the pooler, if there is one and the host does not go
// around it.
func address(h cell.Host) string {
	list := reach(h).Addresses()
	if _, around := h.(direct); around {
		return list[0]
	}
	return list[len(list)-1]
}

// split returns the parts of an address.
func split(address string) (host string, port uint16) {
	host, text, err := net.SplitHostPort(address)
	must(err)
	n, err := strconv.ParseUint(text, 10, 16)
	must(err)
	return host, uint16(n)
}

// must panics on errors that only a setting that contradicts itself can cause.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("postgres: %v", err))
	}
}
