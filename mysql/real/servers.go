package real

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

type mariadb struct{ schema []string }

// New returns MySQL with tables: a new server executes the statements.
func New(setup confirm.Setup) confirm.Store { return &mariadb{setup.Schema} }

// patience is how long a server has for what is asked of it.
const patience = 10 * time.Second

// server is a running server.
type server struct {
	name, dir, addr string
	process         *realserver.Process
	admin           *sql.DB
	version         string
	tables          []tableOf
}

var errFollowers = &confirm.ForceError{Reason: "MySQL has replicas in it, which are not supported yet on real servers"}

// Start starts a server.
func (m *mariadb) Start(servers [][]string, jumps bool, _ time.Duration) (confirm.Servers, error) {
	switch {
	case jumps:
		return nil, &confirm.ForceError{Reason: "the clock of a MySQL server jumps, which is not supported yet on real servers"}
	case len(servers) != 1 || len(servers[0]) != 1:
		return nil, errFollowers
	}
	if missing := realmysql.Kind.Missing(); missing != "" {
		return nil, &realserver.MissingError{Kind: realmysql.Kind, Missing: missing}
	}
	dir, err := realserver.Directory()
	if err != nil {
		return nil, err
	}
	s := &server{name: servers[0][0], dir: dir}
	if err := s.begin(m.schema); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// begin starts a new server with its tables. A port that was free may be taken by somebody else, so that is tried a few
// times.
func (s *server) begin(schema []string) (err error) {
	for range 5 {
		if s.addr, err = realserver.FreeAddr(); err != nil {
			return err
		}
		if err = s.start(); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, statement := range schema {
		if _, err := s.admin.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	if err := s.admin.QueryRowContext(ctx, "SELECT VERSION()").Scan(&s.version); err != nil {
		return err
	}
	s.tables, err = s.describe(ctx)
	return err
}

// start starts the process, with what is in its directory, and the connection that reads its records.
func (s *server) start() (err error) {
	s.process, err = realmysql.Run(s.dir, s.addr, "--default-time-zone=+00:00", "--innodb-status-output-locks=ON", "--plugin-load-add=metadata_lock_info")
	if err != nil {
		return err
	}
	config, err := mysql.ParseDSN(realmysql.DSN(s.addr))
	if err != nil {
		return err
	}
	config.ReadTimeout, config.InterpolateParams, config.ParseTime = patience, true, true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	s.admin = sql.OpenDB(connector)
	s.admin.SetMaxOpenConns(1)
	return s.admin.Ping()
}

// Login is how clients log in, without a password.
func (*mariadb) Login() (user, password, database string) { return "root", "", "test" }

// Prepared looks for the tables that clients have made.
func (s *server) Prepared() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.tables, err = s.describe(ctx)
	return err
}

// Reset ends all connections but its own, and removes all tables.
func (s *server) Reset() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	const others = "FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user <> 'system user'"
	ids, err := s.texts(ctx, "SELECT CONCAT('KILL ', id) "+others)
	if err != nil {
		return err
	}
	for _, kill := range ids {
		_, _ = s.admin.ExecContext(ctx, kill) // it may have ended
	}
	err = realserver.Eventually(patience, func() error {
		left, err := s.texts(ctx, "SELECT id "+others)
		if err == nil && len(left) > 0 {
			err = errors.New("connections are left")
		}
		return err
	})
	if err != nil {
		return err
	}
	drops, err := s.texts(ctx, "SELECT CONCAT('DROP TABLE `', table_name, '`') FROM information_schema.tables WHERE table_schema = DATABASE()")
	for _, drop := range drops {
		if _, failed := s.admin.ExecContext(ctx, drop); failed != nil {
			err = failed
		}
	}
	s.tables = nil
	return err
}

// texts returns the only column of a query.
func (s *server) texts(ctx context.Context, query string) (list []string, err error) {
	rows, err := s.admin.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// Refuses is for other stores.
func (*server) Refuses(string, []byte) (bool, error) { return false, nil }

// Version is the server's.
func (s *server) Version() string { return "mariadb " + s.version }

// Address is the server's.
func (s *server) Address(string) string { return s.addr }

// Kill kills the server.
func (s *server) Kill(string) error {
	_ = s.admin.Close()
	s.process.Stop()
	return nil
}

// Restart starts it again, with all that was committed.
func (s *server) Restart(string) error { return s.start() }

// Hang stops the server's process, or lets it go on.
func (s *server) Hang(_ string, on bool) error { return s.process.Hang(on) }

// Replicate has nothing to do.
func (*server) Replicate(string) error { return nil }

// Promote is for servers with replicas.
func (*server) Promote(string) error { return errFollowers }

// Follow is for servers with replicas.
func (*server) Follow(string, string) error { return errFollowers }

// Jump is refused by Start.
func (*server) Jump(string, time.Duration) error {
	return errors.New("the server's clock cannot be set")
}

// Stop kills the server.
func (s *server) Stop() {
	if s.process != nil {
		_ = s.process.Hang(false) // it may have ended
		s.process.Stop()
	}
	if s.admin != nil {
		_ = s.admin.Close()
	}
	_ = os.RemoveAll(s.dir)
}
