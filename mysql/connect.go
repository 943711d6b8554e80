package mysql

import (
	"database/sql"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/sqlpool"
)

// Connect returns a client process's pool of connections to the serving node. The pool is
// closed when the run has ended, and may be closed earlier.
//
// Everything is the driver's and database/sql's default except that connections are made in
// the simulated network and that nothing is logged. In particular there are no time-outs:
// statements wait until their context ends or their connection breaks. The address acts like a
// name that is resolved for each connection: new connections go to the node that serves then.
//
// In scenarios that limit connections (stage.PoolSize) the pool has that limit, whatever
// sql.DB.SetMaxOpenConns is set to, and serves waiters in the order of their arrival. A client
// of cell.NewRealClient has the same limit from database/sql itself.
//
// In other scenarios, a limit set by sql.DB.SetMaxOpenConns may make runs differ if several
// threads wait for a connection at once: database/sql picks the next at random.
func Connect(h cell.Host) *sql.DB { return ConnectWith(h, nil) }

// ConnectWith is [Connect] with other settings of the driver. Set, if not nil, may change
// all of them except Net, Addr and DialFunc.
func ConnectWith(h cell.Host, set func(*mysql.Config)) *sql.DB {
	c := h.AsClient().Reach("mysql", "mysql.Schema(...)")
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
	db := sqlpool.Open(connector, c)
	c.Cleanup(func() { _ = db.Close() })
	return db
}

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Print(...any) {}
