package queue

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/lockpick-dev/lockpick/internal/command"
)

// Access is the way to a server of NATS.
type Access struct {
	URL   string // one address or several, with commas
	Token string
	Creds string // a file with credentials
}

// options returns the options of a connection.
func (a Access) options(name string) []nats.Option {
	list := []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectJitter(200*time.Millisecond, time.Second), nats.Timeout(5 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // errors that matter are returned; the others would be printed
	}
	if a.Token != "" {
		list = append(list, nats.Token(a.Token))
	}
	if a.Creds != "" {
		list = append(list, nats.UserCredentials(a.Creds))
	}
	return list
}

// Connect connects to a server. Its errors are usage errors.
func Connect(a Access, name string, more ...nats.Option) (*nats.Conn, error) {
	if a.Creds != "" {
		if _, err := os.Stat(a.Creds); err != nil {
			return nil, command.Usagef("--creds: %w", err)
		}
	}
	nc, err := nats.Connect(a.URL, append(a.options(name), more...)...)
	switch {
	case err == nil:
		return nc, nil
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		return nil, command.Usagef("nobody listens at %s: start simrun fleet serve, or name its address by --nats", a.URL)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), strings.Contains(strings.ToLower(err.Error()), "authorization"):
		return nil, a.refused(err)
	}
	return nil, command.Usagef("%s cannot be reached: %w", a.URL, err)
}

// Refused returns the error of a queue whose connection is closed for good because a server that has come back refuses it;
// nil otherwise.
func (q *Queue) Refused(a Access) error {
	if !q.nc.IsClosed() {
		return nil
	}
	if err := q.nc.LastError(); err != nil {
		return a.refused(err)
	}
	return nil
}

func (a Access) refused(err error) error {
	return command.Usagef("%s refuses the connection: %w; give the server's token by --token or SIMRUN_FLEET_TOKEN, or the cluster's credentials by --creds", a.URL, err)
}

// jetStream returns the JetStream of a connection.
func jetStream(ctx context.Context, nc *nats.Conn) (jetstream.JetStream, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	if _, err := js.AccountInfo(ctx); err != nil {
		return nil, explain(nc.ConnectedUrlRedacted(), err)
	}
	return js, nil
}

// The codes of JetStream's errors when its directory is full or cannot be written, or an account's quota is used up.
const (
	noResources jetstream.ErrorCode = 10023
	noStorage   jetstream.ErrorCode = 10047
	noMemory    jetstream.ErrorCode = 10028
	notStored   jetstream.ErrorCode = 10077
	notCreated  jetstream.ErrorCode = 10049
)

// The codes of its errors when there are fewer servers than requested copies.
const (
	noPeers    jetstream.ErrorCode = 10005
	noReplicas jetstream.ErrorCode = 10074
)

// explain adds advice to an error of JetStream.
func explain(url string, err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &api) && slices.Contains([]jetstream.ErrorCode{noResources, noStorage, noMemory, notStored, notCreated}, api.ErrorCode), strings.Contains(err.Error(), syscall.ENOSPC.Error()):
		return fmt.Errorf("the queue of %s cannot be written: %w; make room where it is kept (--store, or the cluster's own), and start the same command again: it goes on", url, err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return command.Usagef("the server %s has no JetStream: start it with nats-server -js, or enable it for the account; or leave out --nats, and simrun fleet serve starts a server of its own", url)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("the server %s does not answer: %w", url, err)
	}
	return err
}

// Server is a server of NATS in this process.
type Server struct {
	*server.Server
	Token string
}

// StartServer starts a server with JetStream that keeps its state in a directory. Its errors are usage errors.
func StartServer(listen, token, dir string) (*Server, error) {
	host, portText, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, command.Usagef("--listen %s: want HOST:PORT, such as 127.0.0.1:4222", listen)
	}
	address, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return nil, command.Usagef("--listen %s: %w", listen, err)
	}
	if token == "" && (address.IP == nil || !address.IP.IsLoopback()) {
		return nil, command.Usagef("--listen %s: whoever reaches that address could take part: set a secret for all by --token or SIMRUN_FLEET_TOKEN", listen)
	}
	if l, err := bind(listen); err != nil { // the server would only log it
		return nil, command.Usagef("--listen %s: %w; if simrun fleet serve runs there, it serves one search: name another address", listen, err)
	} else if port := l.Addr().(*net.TCPAddr).Port; portText == "0" {
		address.Port = port
		_ = l.Close()
	} else {
		_ = l.Close()
	}
	if host == "" {
		host = "0.0.0.0"
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "simrun-fleet", Host: host, Port: address.Port, Authorization: token,
		JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true, DisableShortFirstPing: true,
	})
	if err != nil {
		return nil, command.Usagef("--store %s: %w", dir, err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("the server of NATS did not start within 20 s with its state in %s", dir)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, command.Usagef("--store %s: the queue cannot be kept there: make room, or see that the directory can be written", dir)
	}
	return &Server{s, token}, nil
}

// bind listens at an address. A port that is taken may soon become free: a client that looks for the server on this
// machine can be connected to itself for seconds.
func bind(listen string) (l net.Listener, err error) {
	for begin := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		if l, err = net.Listen("tcp", listen); err == nil || !errors.Is(err, syscall.EADDRINUSE) || time.Since(begin) > 10*time.Second {
			return l, err
		}
	}
}

// Connect connects to the server in its own process.
func (s *Server) Connect(name string) (*nats.Conn, error) {
	return Connect(Access{URL: s.ClientURL(), Token: s.Token}, name, nats.InProcessServer(s.Server))
}

// Stop ends the server, and waits until its state is written.
func (s *Server) Stop() {
	s.Shutdown()
	s.WaitForShutdown()
}
