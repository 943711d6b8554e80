package real

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

// members are the servers of an ensemble that may fail.
type members struct {
	confirm.SelfReplicating
	dir     string
	names   []string
	nodes   map[string]*member
	tick    time.Duration
	network *network
	version string

	mu       sync.Mutex
	ensemble realserver.Ensemble
	leader   string    // the last one that was elected, empty if it does not lead any more
	without  time.Time // since when it cannot lead
	admin    *zk.Conn  // a session at it

	asking  sync.Mutex // held while the leader is asked for its records
	records map[string]confirm.Record
}

// member is one of them.
type member struct {
	dir                 string
	id                  int
	addr, leads, elects string // where it listens: to clients, to followers, and to votes
	process             *realserver.Process
}

// StartMembers starts an ensemble whose members may fail, each of which reaches the others through proxies.
func (store) StartMembers(names, leaders []string, lease time.Duration) (confirm.Members, error) {
	if missing := realzk.Kind.Missing(); missing != "" {
		return nil, &realserver.MissingError{Kind: realzk.Kind, Missing: missing}
	}
	dir, err := realserver.Directory()
	if err != nil {
		return nil, err
	}
	m := &members{dir: dir, names: names, nodes: map[string]*member{}, tick: max(lease/ticks, time.Millisecond), network: newNetwork()}
	if err := m.start(leaders); err != nil {
		m.Stop()
		return nil, err
	}
	return m, nil
}

// start starts all members, and has the first of the leaders elected. Proxies come first: one might take an address that a member
// is about to have.
func (m *members) start(leaders []string) error {
	m.enter(realserver.Ensemble{})
	for _, from := range m.names {
		for _, to := range m.names {
			if from == to {
				continue
			}
			if err := m.network.join(from, to); err != nil {
				return err
			}
		}
	}
	free, err := realserver.FreeAddrs(3 * len(m.names))
	if err != nil {
		return err
	}
	for i, name := range numbered(m.names, leaders) {
		at := free[3*i:]
		n := &member{id: i + 1, dir: filepath.Join(m.dir, strconv.Itoa(i+1)), addr: at[0], leads: at[1], elects: at[2]}
		if err := os.Mkdir(n.dir, 0o700); err != nil {
			return err
		}
		m.nodes[name] = n
		m.network.begin(name, n.leads, n.elects)
	}
	if err := m.all(m.run); err != nil {
		return err
	}
	if err := m.elect(leaders[0]); err != nil {
		return err
	}
	if m.version, err = realzk.Version(m.nodes[leaders[0]].addr); err != nil {
		return err
	}
	return m.all(func(name string) error { return warm(m.nodes[name].addr) })
}

// all does something with all members at once.
func (m *members) all(do func(name string) error) error {
	errs := make([]error, len(m.names))
	var under sync.WaitGroup
	for i, name := range m.names {
		under.Go(func() {
			if err := do(name); err != nil {
				errs[i] = fmt.Errorf("%s: %w", name, err)
			}
		})
	}
	under.Wait()
	return errors.Join(errs...)
}

// run starts a member's process on the data that it has, and returns when it listens.
func (m *members) run(name string) (err error) {
	n := m.nodes[name]
	of := realzk.Member{ID: n.id, Servers: map[int][2]string{n.id: {n.leads, n.elects}}}
	for other, o := range m.nodes { // unordered: into a map
		if other != name {
			of.Servers[o.id] = m.network.reached(name, other)
		}
	}
	n.process, err = realzk.RunMember(n.dir, n.addr, m.tick, of)
	return err
}

// serves waits until a member serves clients.
func (m *members) serves(name string) error {
	return realserver.Eventually(patience, func() error {
		_, err := realzk.Version(m.nodes[name].addr)
		return err
	})
}

// now is the ensemble.
func (m *members) now() realserver.Ensemble {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ensemble
}

// Records are the znodes as the leader has them. Without a leader nothing changes.
func (m *members) Records(string) (map[string]confirm.Record, error) {
	m.asking.Lock()
	defer m.asking.Unlock()
	m.mu.Lock()
	admin, leads := m.admin, m.isLed()
	m.mu.Unlock()
	if leads {
		records, err := znodes(admin)
		if err != nil {
			return nil, err
		}
		m.records = records
	}
	return maps.Clone(m.records), nil
}

// strike sets what members run and hear each other, before something happens to them: nobody asks the leader for its records
// then.
func (m *members) strike(e realserver.Ensemble) {
	m.enter(e)
	m.asking.Lock() // who has begun to ask before ends
	defer m.asking.Unlock()
}

// Version is that of the servers.
func (m *members) Version() string {
	return fmt.Sprintf("zookeeper %s (%d members)", m.version, len(m.names))
}

// Address is where a member listens to clients.
func (m *members) Address(node string) string { return m.nodes[node].addr }

// Tick is the first one after a moment.
func (m *members) Tick(after time.Time) time.Time { return tickAfter(after, m.tick) }

// Kill kills a member.
func (m *members) Kill(node string) error {
	m.strike(m.now().With(node, true))
	m.mu.Lock()
	if m.leader == node {
		m.leader = ""
	}
	m.mu.Unlock()
	m.nodes[node].process.Stop()
	return nil
}

// Restart starts a member again, with the data that it had. It serves at once if there is a leader that it hears.
func (m *members) Restart(node string) error {
	if err := m.run(node); err != nil {
		return err
	}
	m.enter(m.now().With(node, false))
	m.mu.Lock()
	follows := m.leader != node && m.isLed() && m.ensemble.Hear(node, m.leader)
	m.mu.Unlock()
	if follows {
		return m.serves(node)
	}
	return nil
}

// Hang stops a member's process, or lets it go on.
func (m *members) Hang(node string, on bool) error {
	if !on {
		err := m.nodes[node].process.Hang(false)
		m.enter(m.now().With(node, false))
		return err
	}
	m.strike(m.now().With(node, true))
	return m.nodes[node].process.Hang(true)
}

// Divide has what members send each other held as apart says, and lets go what was held and is not any more.
func (m *members) Divide(apart func(from, to string) bool) error {
	e := m.now()
	e.Apart = apart
	m.strike(e)
	m.network.all.Hold(apart)
	return nil
}

// Lose does nothing: no message of a member of ZooKeeper is lost without its connection.
func (*members) Lose(string) {}

// Extension is zero: a new leader gives each session its time-out again.
func (*members) Extension() time.Duration { return 0 }

// Jump is refused by the plan.
func (*members) Jump(string, time.Duration) error {
	return errors.New("the clock of a member cannot be set")
}

// Stop kills all members.
func (m *members) Stop() {
	for _, n := range m.nodes { // unordered: each by itself
		if n.process != nil {
			_ = n.process.Hang(false) // it may have ended
			n.process.Stop()
		}
	}
	if m.admin != nil {
		go m.admin.Close() // it waits for an answer of a server that is gone
	}
	m.network.close()
	_ = os.RemoveAll(m.dir)
}

var _ confirm.Members = (*members)(nil)
