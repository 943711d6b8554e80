package real

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

const (
	// patience is how long a server has for what is asked of it.
	patience = 10 * time.Second
	// ticks is how many there are in a lease, as in the simulation.
	ticks = 10
)

// server is a running server.
type server struct {
	confirm.SelfReplicating
	dir, addr, version string
	tick               time.Duration
	process            *realserver.Process
	admin              *zk.Conn
}

// Start starts a server, which is all members.
func (store) Start(ensembles [][]string, jumps bool, lease time.Duration) (confirm.Servers, error) {
	switch {
	case len(ensembles) != 1:
		return nil, &confirm.ForceError{Reason: "it has several ensembles"}
	case jumps:
		return nil, &confirm.ForceError{Reason: "the clock of a member jumps: ZooKeeper measures sessions by the monotonic clock, which nobody can set"}
	}
	if missing := realzk.Kind.Missing(); missing != "" {
		return nil, &realserver.MissingError{Kind: realzk.Kind, Missing: missing}
	}
	dir, err := realserver.Directory()
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, tick: max(lease/ticks, time.Millisecond)}
	if err := s.begin(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// begin starts the process, and the connection that reads its records. A port that was free may be taken by somebody
// else, so that is tried a few times.
func (s *server) begin() (err error) {
	for range 5 {
		if s.addr, err = realserver.FreeAddr(); err != nil {
			return err
		}
		if s.process, err = realzk.Run(s.dir, s.addr, s.tick); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	if s.version, err = realzk.Version(s.addr); err != nil {
		return err
	}
	if err = warm(s.addr); err != nil {
		return fmt.Errorf("its first requests: %w", err)
	}
	s.admin, err = open(s.addr)
	return err
}

// rounds is how often a new server is asked for everything.
const rounds = 5

// warm has a new server do what clients ask for: a Java program loads code when it first needs it, and that takes longer
// than clients wait. What it leaves is nothing that [server.Records] shows.
func warm(addr string) error {
	for range rounds {
		conn, err := open(addr)
		if err != nil {
			return err
		}
		err = everything(conn)
		conn.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// everything makes each kind of request. One of two znodes is deleted, the other ends with the session.
func everything(conn *zk.Conn) error {
	const below = own + "/first-"
	acl := zk.WorldACL(zk.PermAll)
	if _, err := conn.Create(below, nil, zk.FlagEphemeral|zk.FlagSequence, acl); err != nil {
		return err
	}
	at, err := conn.Create(below, nil, zk.FlagEphemeral|zk.FlagSequence, acl)
	if err != nil {
		return err
	}
	_, _, _, err = conn.GetW(at)
	_, _, _, unwatched := conn.ExistsW(at)
	_, _, _, childless := conn.ChildrenW(own)
	_, unset := conn.Set(at, []byte("data"), -1)
	_, unsynced := conn.Sync(at)
	_, unordered := conn.Multi(&zk.CheckVersionRequest{Path: at, Version: 1}, &zk.DeleteRequest{Path: at, Version: -1})
	return errors.Join(err, unwatched, childless, unset, unsynced, unordered)
}

// open opens the session by which records are read.
func open(addr string) (*zk.Conn, error) {
	conn, events, err := zk.Connect([]string{addr}, time.Minute, zk.WithDialer(net.DialTimeout), zk.WithLogger(silent{}), zk.WithLogInfo(false))
	if err != nil {
		return nil, err
	}
	end := time.After(patience)
	for {
		select {
		case e := <-events:
			if e.State == zk.StateHasSession {
				return conn, nil
			}
		case <-end:
			conn.Close()
			return nil, fmt.Errorf("there is no session with the server at %s within %v", addr, patience)
		}
	}
}

// silent is a logger that logs nothing.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Version is the server's.
func (s *server) Version() string { return "zookeeper " + s.version }

// Address is the server's.
func (s *server) Address(string) string { return s.addr }

// Reset removes all znodes.
func (s *server) Reset() error {
	all, err := znodes(s.admin)
	if err != nil {
		return err
	}
	paths := slices.Sorted(maps.Keys(all))
	for _, at := range slices.Backward(paths) { // those below one before it
		if err := s.admin.Delete(at, -1); err != nil && !errors.Is(err, zk.ErrNoNode) {
			return err
		}
	}
	return nil
}

// Tick is the first one after a moment.
func (s *server) Tick(after time.Time) time.Time { return tickAfter(after, s.tick) }

// tickAfter is the first of a server's ticks after a moment.
func tickAfter(after time.Time, tick time.Duration) time.Time {
	now, at := time.Now(), monotonic()
	if at == 0 {
		return after
	}
	return after.Add(tick - (at+after.Sub(now))%tick)
}

// Hang stops the server's process, or lets it go on.
func (s *server) Hang(_ string, on bool) error { return s.process.Hang(on) }

// errMembers is for what happens to a member, which a plan refuses.
var errMembers = errors.New("one server is all members of a real ensemble")

// Kill, Restart and Promote are not called: members that die cannot be forced.
func (*server) Kill(string) error    { return errMembers }
func (*server) Restart(string) error { return errMembers }
func (*server) Promote(string) error { return errMembers }

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
		s.admin.Close()
	}
	_ = os.RemoveAll(s.dir)
}
