package realpostgres

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// Kind is PostgreSQL.
var Kind = realserver.Kind{Name: "PostgreSQL 15", Missing: missing, Packages: "postgresql-15"}

// binaries has the programs of PostgreSQL 15, which Debian keeps off the PATH.
const binaries = "/usr/lib/postgresql/15/bin"

// missing is the Missing function of [Kind].
func missing() string {
	for _, name := range []string{"postgres", "initdb"} {
		if _, err := exec.LookPath(program(name)); err != nil {
			return "there is no " + program(name)
		}
	}
	return ""
}

// program returns the path of a program of PostgreSQL's.
func program(name string) string { return filepath.Join(binaries, name) }

// DSN returns the connection string of the server or the pooler at an address: user and database postgres.
func DSN(addr string) string { return "postgres://postgres@" + addr + "/postgres?sslmode=disable" }

// settings are those of all servers: nothing waits for the disk, a server fits beside others, and all of its memory is its
// own or in files of its directory: a server that was killed leaves nothing else.
var settings = []string{
	"fsync=off", "full_page_writes=off", "shared_buffers=16MB", "wal_buffers=1MB", "max_connections=200",
	"max_wal_size=64MB", "dynamic_shared_memory_type=mmap", "timezone=UTC", "log_timezone=UTC", "jit=off",
	"logging_collector=off", "log_destination=stderr", "max_parallel_workers_per_gather=0",
}

// Run starts a server that listens at the address and on a socket in the directory, with further settings such as
// "deadlock_timeout=10ms", and returns when it answers. Its data are in the directory: those of an earlier server, or new
// ones.
func Run(dir, addr string, more ...string) (*Process, error) {
	data := filepath.Join(dir, "data")
	if _, err := os.Stat(data); os.IsNotExist(err) {
		if err := newData(dir, data); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, &fs.PathError{Op: "look for data", Path: data, Err: err}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	args := []string{"-D", data, "-h", host, "-p", port, "-k", dir}
	for _, s := range slices.Concat(settings, more) {
		args = append(args, "-c", s)
	}
	return run(dir, exec.Command(program("postgres"), args...), func() error { return answers(addr) })
}

// Socket returns the path of the socket of the server at an address with its files in the directory.
func Socket(dir, addr string) string {
	return filepath.Join(dir, ".s.PGSQL."+addr[strings.LastIndex(addr, ":")+1:])
}
