package realmysql

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// Kind is MariaDB.
var Kind = realserver.Kind{Name: "MariaDB", Missing: missing, Packages: "mariadb-server"}

// missing is the Missing function of [Kind].
func missing() string {
	if program() == "" {
		return "there is no mariadbd"
	}
	return realserver.NotOnPath(install)
}

// program returns the path of the server, which is seldom on the PATH; empty if there is
// none.
func program() string {
	for _, name := range []string{"mariadbd", "/usr/sbin/mariadbd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// DSN returns the data source name of the server at an address for github.com/go-sql-driver/mysql: user root, without
// a password, in the database "test", which is empty at first.
func DSN(addr string) string { return "root@tcp(" + addr + ")/test" }

// Run starts a server that listens at the address, with further options of mariadbd, and returns when it
// answers. Its data are in the directory: those of an earlier server, or new ones.
func Run(dir, addr string, options ...string) (*realserver.Process, error) {
	data := filepath.Join(dir, "data")
	if _, err := os.Stat(data); os.IsNotExist(err) {
		if err := newData(data); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, &fs.PathError{Op: "look for data", Path: data, Err: err}
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return realserver.Run(dir, exec.Command(program(), append([]string{
		"--no-defaults", "--datadir=" + data, "--socket=" + filepath.Join(dir, "socket"), "--pid-file=" + filepath.Join(dir, "pid"),
		"--bind-address=127.0.0.1", "--port=" + port, "--skip-name-resolve", "--user=" + owner(),
		"--tmpdir=" + dir, // a server that starts removes the temporary tables of others in the same directory
		"--innodb-buffer-pool-size=16M", "--innodb-flush-log-at-trx-commit=0",
	}, options...)...), func() error { return ask(addr) })
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
