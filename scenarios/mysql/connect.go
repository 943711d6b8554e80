package mysql

import (
	"database/sql"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// Connect returns a client process's pool of connections to the serving node. The pool is
// closed when the run has ended; others may close it before.
//
// Everything is the driver's and database/sql's default except that connections are made
// in the simulated network and that nothing is logged. In particular nothing has a
// time-out: statements wait until their context ends or their connection breaks. Where a
// name is resolved again for each connection, so is the address here: new connections go
// to the node that serves then.
//
// In scenarios that limit connections (scenarios.Client.Connections) the pool has as many as they
// say, whatever is set, and serves those who wait in the order in which they came.
//
// A client of scenarios.NewRealClient has such a limit from database/sql itself.
//
// Otherwise a run is deterministic if at most one thread at a time waits for a connection of a pool
// that has as many as it may have (sql.DB.SetMaxOpenConns): database/sql picks the next at
// random.
func Connect(c *scenarios.Client) *sql.DB { return ConnectWith(c, nil) }

// ConnectWith is [Connect] with settings of the driver's. It may change all but the
// address and how it is dialled.
func ConnectWith(c *scenarios.Client, set func(*mysql.Config)) *sql.DB {
	c.MustReach("mysql", "mysql.Schema(...)")
	config := mysql.NewConfig()
	config.User, config.DBName, config.Logger = "root", "test", silent{}
	if set != nil {
		set(config)
	}
	config.Net, config.Addr, config.DialFunc = "tcp", c.Addresses()[0], c.Dial
	connector, err := mysql.NewConnector(config)
	if err != nil {
		panic("mysql: " + err.Error()) // a setting that contradicts itself
	}
	db := open(connector, c)
	c.Cleanup(func() { _ = db.Close() })
	return db
}

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Print(...any) {}
