package realredis

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/redis/go-redis/v9"
)

// MasterName is the name of the primary for the started sentinels.
const MasterName = "mymaster"

// Watched is a primary with its replicas, and the sentinels that watch them.
type Watched struct {
	// Nodes are the servers, the primary first.
	Nodes, Sentinels []*Server
}

// StartSentinels starts a primary with a number of replicas, and a number of sentinels, a majority of which must agree
// that the primary is down. They consider a server down after downAfter, and each step of a failover may take timeout. It
// returns when every sentinel knows all others and all replicas, and stops everything when the test is over.
func StartSentinels(t testing.TB, replicas, sentinels int, downAfter, timeout time.Duration) *Watched {
	t.Helper()
	return realserver.Start(t, kind, func(dir string) (*Watched, error) {
		w := &Watched{}
		if err := w.start(dir, replicas, sentinels, downAfter, timeout); err != nil {
			w.Stop()
			return nil, err
		}
		return w, nil
	})
}

func (w *Watched) start(dir string, replicas, sentinels int, downAfter, timeout time.Duration) error {
	for i := range 1 + replicas {
		var args []string
		if i > 0 {
			args = []string{"--replicaof", "127.0.0.1 " + w.Nodes[0].Port}
		}
		s, err := within(dir, "node"+strconv.Itoa(i), func(own string) (*Server, error) { return launch(own, args) })
		if err != nil {
			return err
		}
		w.Nodes = append(w.Nodes, s)
	}
	if err := w.Nodes[0].Replicates(replicas); err != nil {
		return err
	}
	config := fmt.Sprintf("sentinel monitor %s 127.0.0.1 %s %d\nsentinel down-after-milliseconds %s %d\nsentinel failover-timeout %s %d\n",
		MasterName, w.Nodes[0].Port, sentinels/2+1, MasterName, downAfter.Milliseconds(), MasterName, timeout.Milliseconds())
	for i := range sentinels {
		s, err := within(dir, "sentinel"+strconv.Itoa(i), func(own string) (*Server, error) { return launchSentinel(own, config) })
		if err != nil {
			return err
		}
		w.Sentinels = append(w.Sentinels, s)
	}
	for _, s := range w.Sentinels {
		if err := s.knows(replicas, sentinels-1); err != nil {
			return err
		}
	}
	return nil
}

// within starts a server in a directory of its own.
func within(dir, name string, start func(own string) (*Server, error)) (*Server, error) {
	own := filepath.Join(dir, name)
	if err := os.Mkdir(own, 0o700); err != nil {
		return nil, err
	}
	return start(own)
}

// launchSentinel starts a sentinel in the directory and waits until it answers.
func launchSentinel(dir, config string) (*Server, error) {
	s, err := newServer(dir)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "sentinel.conf")
	config += fmt.Sprintf("port %s\nbind 127.0.0.1\nunixsocket %s\ndir %s\n", s.Port, s.Socket, dir)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	return s, s.run(dir, exec.Command(program, file, "--sentinel"))
}

// knows waits until a sentinel knows the given numbers of replicas and other sentinels.
func (s *Server) knows(replicas, others int) error {
	want := []string{"num-slaves", strconv.Itoa(replicas), "num-other-sentinels", strconv.Itoa(others)}
	var got map[string]string
	for range 1000 {
		cmd := redis.NewMapStringStringCmd(context.Background(), "sentinel", "master", MasterName)
		if err := s.admin.Process(context.Background(), cmd); err != nil {
			return err
		}
		if got = cmd.Val(); got[want[0]] == want[1] && got[want[2]] == want[3] {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("a sentinel knows %s replicas and %s sentinels, and there are %s and %s", got[want[0]], got[want[2]], want[1], want[3])
}

// Stop kills all of them.
func (w *Watched) Stop() {
	for _, s := range append(w.Sentinels, w.Nodes...) {
		s.Stop()
	}
}
