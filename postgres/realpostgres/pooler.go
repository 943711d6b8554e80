package realpostgres

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// PoolerKind is PgBouncer.
var PoolerKind = realserver.Kind{Name: "PgBouncer", Missing: poolerMissing, Packages: "pgbouncer"}

// poolerMissing is the Missing function of [PoolerKind].
func poolerMissing() string {
	if pgbouncer() == "" {
		return "there is no pgbouncer"
	}
	return ""
}

// pgbouncer returns the path of the pooler, which is seldom on the PATH of a user; empty if there is none.
func pgbouncer() string {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// PoolerVersion returns the pooler's name and version, such as "pgbouncer 1.18.0".
func PoolerVersion() string {
	out, _ := exec.Command(pgbouncer(), "--version").Output() // it has been started
	first, _, _ := strings.Cut(string(out), "\n")
	return strings.ToLower(first)
}

// Pooling is how a pooler works.
type Pooling struct {
	// Mode is "session", which is the default, "transaction" or "statement".
	Mode string
	// Size is the number of connections to the server that it has at most, by default 20.
	Size int
	// Options are further lines of its configuration, such as "query_wait_timeout = 1".
	Options []string
}

// Pooler is a running PgBouncer.
type Pooler struct {
	// Addr is the host and port at which it listens, and DSN its connection string: user and database postgres.
	Addr, DSN string

	*Process
}

// NeedPooler skips the test if there is no PgBouncer, and fails it if the variable CI is set.
func NeedPooler(t testing.TB) {
	t.Helper()
	PoolerKind.Need(t)
}

// StartPooler starts a pooler in front of the server at an address, and stops it when the test is over.
func StartPooler(t testing.TB, server string, how Pooling) *Pooler {
	t.Helper()
	return realserver.Start(t, PoolerKind, func(dir string) (*Pooler, error) { return launchPooler(dir, server, how) })
}

// LaunchPooler is [StartPooler] for programs; the caller must stop the pooler.
func LaunchPooler(server string, how Pooling) (p *Pooler, stop func(), err error) {
	return realserver.Launch(PoolerKind, func(dir string) (*Pooler, error) { return launchPooler(dir, server, how) })
}

// launchPooler starts a pooler in the directory and waits until it answers.
func launchPooler(dir, server string, how Pooling) (*Pooler, error) {
	addr, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	process, err := RunPooler(dir, addr, server, how)
	if err != nil {
		return nil, err
	}
	return &Pooler{Addr: addr, DSN: DSN(addr), Process: process}, nil
}

// RunPooler starts a pooler that listens at the address, in front of the server at another one, with its files in the
// directory. It returns when a client can log in, for which the server must be up.
func RunPooler(dir, addr, server string, how Pooling) (*Process, error) {
	path := filepath.Join(dir, "pgbouncer.ini")
	text, err := configuration(dir, addr, server, how)
	if err != nil {
		return nil, err
	}
	for name, content := range map[string]string{path: text, filepath.Join(dir, "users.txt"): `"postgres" ""` + "\n"} { // unordered: two files
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	return run(dir, exec.Command(pgbouncer(), path), func() error { return answers(addr) })
}

// configuration returns the text of pgbouncer.ini.
func configuration(dir, addr, server string, how Pooling) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	serverHost, serverPort, err := net.SplitHostPort(server)
	if err != nil {
		return "", err
	}
	if how.Mode == "" {
		how.Mode = "session"
	}
	if how.Size == 0 {
		how.Size = 20
	}
	return fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = %s
listen_port = %s
unix_socket_dir = %s
auth_type = trust
auth_file = %s
admin_users = postgres
pool_mode = %s
default_pool_size = %d
max_client_conn = 200
%s
`, serverHost, serverPort, host, port, dir, filepath.Join(dir, "users.txt"), how.Mode, how.Size, strings.Join(how.Options, "\n")), nil
}
