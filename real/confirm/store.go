package confirm

import (
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/real/internal/recording"
)

// Stores are the real servers of a program, by the IDs of their stores.
type Stores map[string]func(Setup) Store

// Setup is how the servers of a trace are set up.
type Setup struct {
	// Schema are the statements that a new server executes.
	Schema []string
	// Settings are the parameters of the store in the trace's scenario that are not 0, by their names, as texts.
	Settings map[string]string
}

// SetupOf returns the setup of the servers of a subject.
func SetupOf(f realclient.Facts) Setup { return Setup{f.Schema, f.Settings} }

// Of returns the store of a subject, nil if there is none.
func (s Stores) Of(f realclient.Facts) Store {
	if make := s[f.Store]; make != nil {
		return make(SetupOf(f))
	}
	return nil
}

// Store is a real store. Only its own package knows the store's protocol.
type Store interface {
	// Start starts fresh nodes of one or several independent servers. The first node of each server serves, and the others
	// follow it. With jumps their clocks can be set. Lease is the length of leases: ticks of the servers' clocks are the same
	// fraction of it as in the trace. The error names what is missing: a server's program, or, as a [ForceError], a means to
	// set clocks.
	Start(servers [][]string, jumps bool, lease time.Duration) (Servers, error)
	// Converse returns the Conversation of a new connection.
	Converse() Conversation
	// Key returns the record that a request with this signature is about.
	Key(signature string) string
	// Blocks reports whether the answer to a request with this signature may take long.
	Blocks(signature string) bool
	// Refused reports whether an answer means that the request was not executed, and must be made in another form.
	Refused(answer []byte) bool
}

// Servers are running servers. One goroutine calls their methods, except Address, which is safe for concurrent use. An
// error ends the run.
type Servers interface {
	// Version returns the servers' program and its version.
	Version() string
	// Address returns the host and port of a node.
	Address(node string) string
	// Records returns the records of a node, by their keys.
	Records(node string) (map[string]Record, error)
	// Refuses reports whether a node would now refuse a request and ask for another form ([Store.Refused]): such a request may
	// reach it at any time.
	Refuses(node string, request []byte) (bool, error)
	// Kill kills a node's process, and Restart starts it again as a serving node, with the records that it has kept.
	Kill(node string) error
	Restart(node string) error
	// Promote makes a follower serve, and Follow makes a node follow another.
	Promote(node string) error
	Follow(node, other string) error
	// Hang stops a node's process, or lets it go on.
	Hang(node string, on bool) error
	// Jump sets a node's clock ahead, or back.
	Jump(node string, ahead time.Duration) error
	// Replicate lets the followers of a serving node catch up with it, and keeps later changes from them. It is called before
	// the run as well.
	Replicate(node string) error
	// Stop kills the remaining processes, and removes all files.
	Stop()
}

// Keeping are [Servers] whose nodes lose all of their records when they die, unless Keep is called before. Other nodes
// keep what their program keeps.
type Keeping interface {
	// Keep makes a node keep its present records until it is started again.
	Keep(node string) error
}

// SelfReplicating is embedded by [Servers] that replicate by themselves, and have one form of each request: Follow and
// Replicate do nothing, and no request is refused.
type SelfReplicating struct{}

// Follow does nothing.
func (SelfReplicating) Follow(string, string) error { return nil }

// Replicate does nothing.
func (SelfReplicating) Replicate(string) error { return nil }

// Refuses returns false.
func (SelfReplicating) Refuses(string, []byte) (bool, error) { return false, nil }

// Ticking are [Servers] whose sessions end at ticks of a clock. A run begins with a tick, as a trace does.
type Ticking interface {
	// Tick returns the first tick after a time.
	Tick(after time.Time) time.Time
}

// Record is a record of a server.
type Record = recording.Record

// TimeLayout is the format of a time among the items of a record.
const TimeLayout = recording.TimeLayout
