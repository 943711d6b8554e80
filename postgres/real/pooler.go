package real

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/postgres/store"
)

// pooler is a PgBouncer before the server.
type pooler struct {
	name, dir, addr string
	how             realpostgres.Pooling
	process         *realpostgres.Process
}

// pooling returns how the pooler of the trace works, and whether there is one.
func (p *postgres) pooling() (how realpostgres.Pooling, is bool) {
	mode := p.Settings[store.Pooler]
	size, _ := strconv.Atoi(p.Settings[store.PoolerConnections]) // 0 if it is not set
	// The server then knows which client's requests it gets.
	return realpostgres.Pooling{Mode: mode, Size: size, Options: []string{"application_name_add_host = 1"}}, mode != ""
}

// Behind returns the server's node for that of the pooler.
func (p *postgres) Behind(servers [][]string, node string) string {
	if _, is := p.pooling(); is && len(servers) == 2 && node == servers[1][0] {
		return servers[0][0]
	}
	return ""
}

// beginPooler starts a new pooler before the server.
func (s *server) beginPooler(name string, how realpostgres.Pooling) (err error) {
	p := &pooler{name: name, dir: filepath.Join(s.dir, "pgbouncer"), how: how}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return err
	}
	for range 5 {
		if p.addr, err = realserver.FreeAddr(); err != nil {
			return err
		}
		if err = p.start(s.addr); err == nil {
			s.pooler = p
			return nil
		}
	}
	return err
}

// start starts the process.
func (p *pooler) start(server string) (err error) {
	p.process, err = realpostgres.RunPooler(p.dir, p.addr, server, p.how)
	return err
}

// pools reports whether a node is that of the pooler.
func (s *server) pools(node string) bool { return s.pooler != nil && node == s.pooler.name }

// Sender returns the address of the client whose requests a session got last: the pooler sets it at the server before it
// sends those of another client.
func (s *server) Sender(session string) string {
	pid, err := strconv.Atoi(strings.TrimPrefix(session, sessionName("")))
	if s.pooler == nil || err != nil {
		return ""
	}
	r, err := s.ask("SELECT application_name FROM pg_stat_activity WHERE pid = " + strconv.Itoa(pid))
	if err != nil || len(r.Rows) != 1 {
		return ""
	}
	name := string(r.Rows[0][0])
	return name[strings.LastIndex(name, " ")+1:] // "app - 127.0.0.1:40000"
}
