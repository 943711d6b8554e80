package realetcd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// program is the name of the server's program.
const program = "etcd"

var kind = realserver.Kind{
	Name:     "etcd",
	Missing:  func() string { return realserver.NotOnPath(program) },
	Packages: "etcd-server",
}

// Server is a running etcd.
type Server struct {
	// Addr is the host and port at which it listens to clients.
	Addr string

	*realserver.Process
}

// Need skips the test if there is no etcd, and fails it if the variable CI is set.
func Need(t testing.TB) {
	t.Helper()
	kind.Need(t)
}

// Start starts a server with an election time-out, of 50 ms to 50 s, and stops it when the test is over. It returns when
// the server answers. The shortest lease is one and a half election time-outs, in whole seconds, rounded up.
func Start(t testing.TB, election time.Duration) *Server {
	t.Helper()
	return realserver.Start(t, kind, func(dir string) (*Server, error) { return launch(dir, election) })
}

// Launch is [Start] for programs: the caller stops the server.
func Launch(election time.Duration) (s *Server, stop func(), err error) {
	return realserver.Launch(kind, func(dir string) (*Server, error) { return launch(dir, election) })
}

// launch starts a server in the directory and waits until it answers.
func launch(dir string, election time.Duration) (*Server, error) {
	clients, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	peers, err := realserver.FreeAddr()
	if err != nil {
		return nil, err
	}
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	process, err := realserver.Run(dir, exec.Command(program,
		"--data-dir", filepath.Join(dir, "data"), "--name", "one",
		"--listen-client-urls", "http://"+clients, "--advertise-client-urls", "http://"+clients,
		"--listen-peer-urls", "http://"+peers, "--initial-advertise-peer-urls", "http://"+peers,
		"--initial-cluster", "one=http://"+peers,
		"--heartbeat-interval", milliseconds(election/5), "--election-timeout", milliseconds(election)),
		func() error { return ask(clients) })
	if err != nil {
		return nil, err
	}
	return &Server{Addr: clients, Process: process}, nil
}

// client keeps no connections, so that it leaves nothing behind.
var client = http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// ask returns an error unless the server serves clients: it has a leader.
func ask(addr string) error {
	r, err := client.Get("http://" + addr + "/health")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if !bytes.Contains(body, []byte(`"true"`)) {
		return fmt.Errorf("its health is %q", body)
	}
	return nil
}
