package real

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/postgres/store"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

type postgres struct{ confirm.Setup }

// New returns PostgreSQL with tables, whose statements a new server executes, and with a PgBouncer if the setting pooler
// says so.
func New(setup confirm.Setup) confirm.Store { return &postgres{setup} }

// patience is how long a server has for what is asked of it.
const patience = 10 * time.Second

// server is a running server, with its pooler.
type server struct {
	name, dir, addr string
	settings        []string
	process         *realpostgres.Process
	pooler          *pooler // nil if there is none
	admin           *pgconn.PgConn
	version         string
	tables          []tableOf
}

// Start starts a server, and a pooler before it.
func (p *postgres) Start(servers [][]string, jumps bool, _ time.Duration) (confirm.Servers, error) {
	how, pools := p.pooling()
	lists := 1
	if pools {
		lists = 2
	}
	switch {
	case jumps:
		return nil, &confirm.ForceError{Reason: "the clock of a PostgreSQL server jumps, which is not supported yet on real servers"}
	case len(servers) != lists || pools && len(servers[1]) != 1:
		return nil, &confirm.ForceError{Reason: "its servers are not those of its parameters: want one PostgreSQL, and one PgBouncer if the parameter pooler is set"}
	case len(servers[0]) != 1:
		return nil, errFollowers
	}
	for _, kind := range []realserver.Kind{realpostgres.Kind, realpostgres.PoolerKind}[:lists] {
		if missing := kind.Missing(); missing != "" {
			return nil, &realserver.MissingError{Kind: kind, Missing: missing}
		}
	}
	dir, err := realserver.Directory()
	if err != nil {
		return nil, err
	}
	s := &server{name: servers[0][0], dir: dir}
	if commit := p.Settings[store.SynchronousCommit]; commit != "" {
		s.settings = []string{"synchronous_commit=" + commit}
	}
	err = s.begin(p.Schema)
	if err == nil && pools {
		err = s.beginPooler(servers[1][0], how)
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

var errFollowers = &confirm.ForceError{Reason: "PostgreSQL has replicas in it, which are not supported yet on real servers"}

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
	for _, statement := range append([]string{"CREATE EXTENSION pgrowlocks", "CREATE EXTENSION pageinspect"}, schema...) {
		if _, err := s.ask(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	s.version = s.admin.ParameterStatus("server_version")
	s.tables, err = s.describe()
	return err
}

// start starts the process, with what is in its directory, and the connection that reads its records.
func (s *server) start() (err error) {
	if s.process, err = realpostgres.Run(s.dir, s.addr, s.settings...); err != nil {
		return err
	}
	s.admin, err = connectTo(s.addr)
	return err
}

// connectTo opens a session.
func connectTo(addr string) (*pgconn.PgConn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return pgconn.Connect(ctx, realpostgres.DSN(addr))
}

// ask executes a statement, and returns its rows as texts.
func (s *server) ask(statement string) (*pgconn.Result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list, err := s.admin.Exec(ctx, statement).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return &pgconn.Result{}, nil
	}
	return list[len(list)-1], nil
}

// Login is how clients log in, without a password.
func (*postgres) Login() (user, password, database string) { return "postgres", "", "postgres" }

// Prepared looks for the tables that clients have made.
func (s *server) Prepared() (err error) {
	s.tables, err = s.describe()
	return err
}

// Reset ends all sessions but its own, and removes all tables.
func (s *server) Reset() error {
	const others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
	if _, err := s.ask("SELECT pg_terminate_backend(pid) " + others); err != nil {
		return err
	}
	err := realserver.Eventually(patience, func() error {
		r, err := s.ask("SELECT 1 " + others)
		if err == nil && len(r.Rows) > 0 {
			err = errors.New("sessions are left")
		}
		return err
	})
	if err != nil || len(s.tables) == 0 {
		return err
	}
	s.tables = nil
	_, err = s.ask("DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE EXTENSION pgrowlocks; CREATE EXTENSION pageinspect")
	return err
}

// Refuses is for other stores.
func (*server) Refuses(string, []byte) (bool, error) { return false, nil }

// Version is the server's, and the pooler's.
func (s *server) Version() string {
	version := "postgres " + s.version
	if s.pooler != nil {
		version += ", " + realpostgres.PoolerVersion()
	}
	return version
}

// Address is the server's or the pooler's.
func (s *server) Address(node string) string {
	if s.pools(node) {
		return s.pooler.addr
	}
	return s.addr
}

// Kill kills the server or the pooler.
func (s *server) Kill(node string) error {
	if s.pools(node) {
		s.pooler.process.Stop()
		return nil
	}
	s.close()
	s.process.Stop()
	return nil
}

// close closes the connection that reads records.
func (s *server) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.admin.Close(ctx) // the server may hang
}

// Restart starts it again, with all that was committed.
func (s *server) Restart(node string) error {
	if s.pools(node) {
		return s.pooler.start(s.addr)
	}
	return s.start()
}

// Hang stops the processes of the server or of the pooler, or lets them go on.
func (s *server) Hang(node string, on bool) error {
	if s.pools(node) {
		return s.pooler.process.Hang(on)
	}
	return s.process.Hang(on)
}

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

// Stop kills the server, and the pooler.
func (s *server) Stop() {
	if s.pooler != nil {
		s.pooler.process.Stop()
	}
	if s.process != nil {
		s.process.Stop()
	}
	if s.admin != nil {
		s.close()
	}
	_ = os.RemoveAll(s.dir)
}
