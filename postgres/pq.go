package postgres

import (
	"database/sql"

	"github.com/lib/pq"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/sqlpool"
)

// parsedPQ is the configuration that lib/pq makes of a connection string, without what environment variables say. It is
// made before any run, as parsed is.
var parsedPQ, errParsedPQ = func() (pq.Config, error) {
	config, err := pq.NewConfig(anyDSN)
	config.Options, config.ApplicationName, config.Passfile = "", "", ""
	return config, err
}()

// PQ is [Connect] by lib/pq. Each of set may change all settings of the driver except the address, the role, the
// database and the mode of TLS, which is disabled.
func PQ(h cell.Host, set ...func(*pq.Config)) *sql.DB {
	c := reach(h)
	must(errParsedPQ)
	config := parsedPQ.Clone()
	for _, f := range set {
		f(&config)
	}
	config.Host, config.Port = split(address(h))
	config.User, config.Database, config.Password, config.SSLMode = "postgres", "postgres", "", pq.SSLModeDisable
	db := sqlpool.Open(&connector{config, c}, c)
	c.Cleanup(func() { _ = db.Close() })
	return db
}
