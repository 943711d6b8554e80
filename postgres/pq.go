package postgres

import (
	"context"
	"database/sql"
	"net"
	"time"

	"github.com/lib/pq"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/sqlpool"
)

// PQ is [Connect] by lib/pq. Each of set may change all settings of the driver except the address, the role, the
// database and the mode of TLS, which is disabled.
func PQ(h cell.Host, set ...func(*pq.Config)) *sql.DB {
	c := reach(h)
	config, err := pq.NewConfig(dsn(h))
	must(err)
	config.Options, config.ApplicationName, config.Passfile = "", "", "" // what environment variables say
	for _, f := range set {
		f(&config)
	}
	config.Host, config.Port = split(address(h))
	config.User, config.Database, config.Password, config.SSLMode = "postgres", "postgres", "", pq.SSLModeDisable
	connector, err := pq.NewConnectorConfig(config)
	must(err)
	connector.Dialer(dialer{c})
	db := sqlpool.Open(connector, c)
	c.Cleanup(func() { _ = db.Close() })
	return db
}

// dialer connects lib/pq in the simulated network.
type dialer struct{ client *cell.Client }

// DialContext connects to the server.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d.client.Dial(ctx, network, address)
}

// Dial connects to the server.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.client.Dial(context.Background(), network, address)
}

// DialTimeout connects to the server within a time.
func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.client.Dial(ctx, network, address)
}
