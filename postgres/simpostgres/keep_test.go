package simpostgres

// These modules are required by the other packages of the module.
import (
	_ "github.com/jackc/pgx/v5/pgproto3"
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	_ "github.com/lockpick-dev/lockpick/real/confirm"
	_ "pgregory.net/rapid"
)
