// Package adapter has a sound lock over go-sql-driver/mysql. The modules of v1.3.0 and v1.4.0 share it.
package adapter

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/store"
)

// Tables is the store with the tables of the lock.
var Tables = store.New(mysql.MySQLDriver.Open, sqllocks.Schema()...)

// NewLock returns the lock of a client.
func NewLock(c *cell.Client) lock.Locker {
	db := sql.OpenDB(connector{c})
	c.Cleanup(func() { _ = db.Close() })
	return sqllocks.NewUnique(db, c.LockName(), sqllocks.Options{Clock: c.Clock()})
}

// connector opens connections as this version of the driver does, by a network of the client's
// own. One run is under way at a time, and the client's name is unique in it.
type connector struct{ c *cell.Client }

func (k connector) Connect(ctx context.Context) (driver.Conn, error) {
	network := k.c.Process().Name()
	mysql.RegisterDial(network, func(address string) (net.Conn, error) { return k.c.Dial(ctx, "tcp", address) })
	return k.Driver().Open("root@" + network + "(" + k.c.Addresses()[0] + ")/test")
}

func (k connector) Driver() driver.Driver { return mysql.MySQLDriver{} }
