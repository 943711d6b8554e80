package realmysql

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

var kind = realserver.Kind{Name: "MariaDB", Missing: missing, Packages: "mariadb-server"}

// missing is a [realserver.Kind]'s.
func missing() string {
	if program() == "" {
		return "there is no mariadbd"
	}
	return realserver.NotOnPath(install)
}

// program is the path of the server, which is seldom on the PATH; empty if there is none.
func program() string {
	for _, name := range []string{"mariadbd", "/usr/sbin/mariadbd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Server is a running MariaDB.
type Server struct {
	// Addr is the host and port at which it listens.
	Addr string
	// DSN names it to github.com/go-sql-driver/mysql: user root, without a
	// password, in the empty database "test".
	DSN string

	*realserver.Process
}

// Need skips the test where there is no MariaDB, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	kind.Need(t)
}

// Start starts a server with options of mariadbd besides its own, such as
// "--innodb-lock-wait-timeout=2", and stops it when the test is over. It returns
// when the server answers.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	return realserver.Start(t, kind, func(dir string) (*Server, error) { return launch(dir, options) })
}

// Launch is [Start] for programs: the caller stops the server.
func Launch(options ...string) (s *Server, stop func(), err error) {
	return realserver.Launch(kind, func(dir string) (*Server, error) { return launch(dir, options) })
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, options []string) (*Server, error) {
	data := filepath.Join(dir, "data")
	if err := newData(data); err != nil {
		return nil, err
	}
	addr, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(addr)
	process, err := realserver.Run(dir, exec.Command(program(), append([]string{
		"--no-defaults", "--datadir=" + data, "--socket=" + filepath.Join(dir, "socket"), "--pid-file=" + filepath.Join(dir, "pid"),
		"--bind-address=127.0.0.1", "--port=" + port, "--skip-name-resolve", "--user=" + owner(),
		"--tmpdir=" + dir, // a server that starts removes the temporary tables of others in the same directory
		"--innodb-buffer-pool-size=16M", "--innodb-flush-log-at-trx-commit=0",
	}, options...)...), func() error { return ask(addr) })
	if err != nil {
		return nil, err
	}
	return &Server{Addr: addr, DSN: "root@tcp(" + addr + ")/test", Process: process}, nil
}

// ask returns an error unless the server greets clients.
func ask(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	const header, protocol = 4, 10 // of a packet; of the first one
	greeting := make([]byte, header+1)
	if _, err := io.ReadFull(c, greeting); err != nil {
		return err
	}
	if greeting[header] != protocol {
		return fmt.Errorf("its greeting begins with %x", greeting)
	}
	return nil
}
