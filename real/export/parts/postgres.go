//go:build ignore

package parts

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
)

// PostgresServer starts a PostgreSQL, executes the statements, and returns its address.
func PostgresServer(t testing.TB, statements ...string) (address string) {
	t.Helper()
	initdb, postgres := PostgresProgram(t, "initdb"), PostgresProgram(t, "postgres")
	dir := PostgresDirectory(t)
	if out, err := PostgresCommand(initdb, "-D", filepath.Join(dir, "data"), "-U", "postgres", "--auth=trust", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	address = FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	StartPostgres(t, postgres, "-D", filepath.Join(dir, "data"), "-h", "127.0.0.1", "-p", port, "-k", dir, "-c", "fsync=off", "-c", "timezone=UTC")
	AwaitListener(t, address)
	c := PostgresConn(t, address)
	for _, s := range statements {
		if _, err := c.Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return address
}

// PgBouncer starts a PgBouncer before a server, and returns its address.
func PgBouncer(t testing.TB, server, mode string, size int) (address string) {
	t.Helper()
	program, dir := PostgresProgram(t, "pgbouncer"), PostgresDirectory(t)
	address = FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	_, serverPort, _ := net.SplitHostPort(server)
	file := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%s user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = %d
`, serverPort, port, mode, size)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	StartPostgres(t, program, file)
	AwaitListener(t, address)
	return address
}

// PostgresProgram is the path of a program of PostgreSQL or PgBouncer.
func PostgresProgram(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	list, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // where Debian has them
	more, _ := filepath.Glob("/usr/sbin/" + name)
	list = append(list, more...)
	if len(list) == 0 {
		Missing(t, name+" is not installed")
	}
	return list[len(list)-1]
}

// PostgresDirectory is a directory that the programs may use.
func PostgresDirectory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "postgres")
	if err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		err = os.Chmod(dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// PostgresCommand runs a program as the user postgres if the test is root's: the programs refuse to run as root.
func PostgresCommand(program string, args ...string) *exec.Cmd {
	c := exec.Command(program, args...)
	if os.Getuid() == 0 {
		c = exec.Command("setpriv", append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups", program}, args...)...)
	}
	c.Dir = "/"
	return c
}

// StartPostgres starts a program, which ends with the test.
func StartPostgres(t testing.TB, program string, args ...string) {
	t.Helper()
	c := PostgresCommand(program, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Signal(syscall.SIGQUIT); _ = c.Wait() }) // without waiting for its clients
}

// PostgresConn is a connection of the test's own.
func PostgresConn(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(context.Background(), PostgresDSN(address))
	for range 100 {
		if err == nil {
			break
		}
		c, err = pgx.Connect(context.Background(), PostgresDSN(address)) // it is starting up
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// PostgresDSN is the connection string for an address.
func PostgresDSN(address string) string {
	return "postgres://postgres@" + address + "/postgres?sslmode=disable"
}

// PostgresRecord is what PostgreSQL has of the lock: rows with its name but for their times, and advisory locks; empty if
// nothing.
func PostgresRecord(t testing.TB, address string) string {
	t.Helper()
	c, ctx := PostgresConn(t, address), context.Background()
	defer c.Close(ctx)
	var list []string
	read := func(query string, args ...any) (texts []string) {
		rows, err := c.Query(ctx, query, args...)
		if err == nil {
			texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return texts
	}
	// Each table with a text as its primary key, as a statement that reads the lock's row.
	for _, query := range read(`SELECT format('SELECT (to_jsonb(r) - %L::text[])::text FROM %s r WHERE %I = $1',
ARRAY(SELECT t.attname FROM pg_attribute t WHERE t.attrelid = i.indrelid AND t.atttypid IN ('timestamp'::regtype, 'timestamptz'::regtype)), i.indrelid::regclass, a.attname)
FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] JOIN pg_class c ON c.oid = i.indrelid
WHERE i.indisprimary AND a.atttypid IN ('text'::regtype, 'varchar'::regtype) AND c.relnamespace = 'public'::regnamespace ORDER BY 1`) {
		list = append(list, read(query, LockName)...)
	}
	return strings.Join(append(list, read(`SELECT format('advisory lock %s %s of session %s', classid, objid, pid) FROM pg_locks WHERE locktype = 'advisory' AND granted ORDER BY 1`)...), ", ")
}

// PassPostgres carries requests and answers. A word is the first two of a statement. What is executed before a Sync is one request.
func PassPostgres(n *Network, client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	rules := make(chan *Rule, 1000) // of requests, in their order
	go func() {
		defer server.Close()
		size := make([]byte, 4) // the first message has no letter
		if _, err := io.ReadFull(client, size); err != nil {
			return
		}
		start := make([]byte, max(4, binary.BigEndian.Uint32(size))-4)
		if _, err := io.ReadFull(client, start); err != nil {
			return
		}
		rules <- nil
		_, _ = server.Write(append(size, start...))
		statements := map[string]string{}
		var request []byte
		text := ""
		for {
			m, err := ReadPostgres(client)
			if err != nil {
				return
			}
			request = append(request, m...)
			body := strings.SplitN(string(m[5:]), "\x00", 3)
			switch m[0] {
			case 'Q':
				text = body[0]
			case 'P':
				statements[body[0]] = body[1]
			case 'B':
				text = statements[body[1]]
			}
			if !strings.ContainsRune("QSX", rune(m[0])) {
				continue
			}
			words := strings.Join(strings.Fields(text), " ")
			r := n.of(func(word string) bool { return strings.HasPrefix(words, word) })
			r.sent()
			rules <- r
			if _, err := server.Write(request); err != nil {
				return
			}
			request, text = nil, ""
		}
	}()
	var answer []byte
	for {
		m, err := ReadPostgres(server)
		if err != nil {
			_, _ = client.Write(answer)
			return
		}
		if answer = append(answer, m...); m[0] == 'Z' {
			if r := <-rules; r.answered() {
				Cut(client)
				return
			}
		}
		if m[0] == 'Z' || len(answer) == len(m) && strings.ContainsRune("ANS", rune(m[0])) { // the end of an answer, or what comes unasked
			if _, err := client.Write(answer); err != nil {
				return
			}
			answer = nil
		}
	}
}

// ReadPostgres reads one message.
func ReadPostgres(r io.Reader) ([]byte, error) {
	m := make([]byte, 5)
	if _, err := io.ReadFull(r, m); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(m[1:])) - 4
	if n < 0 {
		return nil, errors.New("no message")
	}
	m = append(m, make([]byte, n)...)
	_, err := io.ReadFull(r, m[5:])
	return m, err
}

// PostgresAddress is where a client connects: the last of its servers.
func PostgresAddress(c *Client) string { return c.addresses[len(c.addresses)-1] }

// PostgresDirect is a client that goes around the pooler.
func PostgresDirect(c *Client) *Client {
	around := *c
	around.addresses = c.addresses[:1]
	return &around
}

// PostgresPool is a pool of pgxpool.
func PostgresPool(c *Client, set ...func(*pgxpool.Config)) *pgxpool.Pool {
	config, err := pgxpool.ParseConfig(PostgresDSN(PostgresAddress(c)))
	if err != nil {
		panic(err)
	}
	config.MaxConns = 4
	for _, f := range set {
		f(config)
	}
	PostgresRoute(c, config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		panic(err)
	}
	c.Cleanup(func() { go pool.Close() }) // it waits for connections that are in use
	return pool
}

// PostgresRoute leads the connections of a configuration to the server of the test.
func PostgresRoute(c *Client, config *pgx.ConnConfig) {
	to, err := pgx.ParseConfig(PostgresDSN(PostgresAddress(c)))
	if err != nil {
		panic(err)
	}
	config.Host, config.Port, config.User, config.Database, config.Password = to.Host, to.Port, to.User, to.Database, ""
	config.TLSConfig, config.Fallbacks = nil, nil
}

// PostgresConnect is a pool of database/sql.
func PostgresConnect(c *Client) *sql.DB { return PostgresConnectWith(c, nil) }

// PostgresConnectWith is a pool of database/sql with other settings.
func PostgresConnectWith(c *Client, set func(*pgx.ConnConfig)) *sql.DB {
	config, err := pgx.ParseConfig(PostgresDSN(PostgresAddress(c)))
	if err != nil {
		panic(err)
	}
	if set != nil {
		set(config)
	}
	PostgresRoute(c, config)
	db := stdlib.OpenDB(*config)
	c.Cleanup(func() { _ = db.Close() })
	return db
}

// PostgresPQ is a pool of database/sql over lib/pq.
func PostgresPQ(c *Client, set ...func(*pq.Config)) *sql.DB {
	config, err := pq.NewConfig(PostgresDSN(PostgresAddress(c)))
	if err != nil {
		panic(err)
	}
	host, port := config.Host, config.Port
	for _, f := range set {
		f(&config)
	}
	config.Host, config.Port, config.User, config.Database, config.Password, config.SSLMode = host, port, "postgres", "postgres", "", pq.SSLModeDisable
	connector, err := pq.NewConnectorConfig(config)
	if err != nil {
		panic(err)
	}
	db := sql.OpenDB(connector)
	c.Cleanup(func() { _ = db.Close() })
	return db
}
