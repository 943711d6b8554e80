package real

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/zookeeper/simzk"
)

// Store is ZooKeeper.
var Store confirm.Electing = store{}

// New returns Store, for [confirm.Stores].
func New(confirm.Setup) confirm.Store { return Store }

type store struct{}

// Authority is what histories call an ensemble.
func (store) Authority() string { return simzk.Authority }

// Free are the requests that only keep a session alive.
func (store) Free(signature string) bool { return signature == "ping" }

// sequence is the end of the path of a sequential znode.
var sequence = regexp.MustCompile(`[0-9]{10}$`)

// View is that of a queue if there are sequential znodes, all in one directory: the lowest number has the lock.
func (store) View(_ string, paths []string) model.Ownership {
	for _, p := range paths {
		if !sequence.MatchString(p) {
			continue
		}
		if dir := path.Dir(p); dir != root {
			return model.SequenceOwnership{Prefix: dir + "/"}
		}
		return model.SequenceOwnership{Prefix: sequence.ReplaceAllString(p, "")}
	}
	return nil
}

// Key is the path that a request is about.
func (store) Key(signature string) string {
	_, at, _ := strings.Cut(signature, " ")
	at, _, _ = strings.Cut(at, " ")
	return strings.TrimSuffix(at, ",")
}

// Blocks is false: a server answers each request at once.
func (store) Blocks(string) bool { return false }

// Refused is false: there is one form of each request.
func (store) Refused([]byte) bool { return false }

// Environment has a client's process try the members in the order in which it tried them in the trace. The library shuffles them.
func (store) Environment(t *traces.Trace, client string) []string {
	var nodes []string
	for i := range t.Actors {
		if a := &t.Actors[i]; a.Kind == traces.NodeActor {
			nodes = append(nodes, a.Name)
		}
	}
	order := []int{}
	for i := range t.Events {
		e := &t.Events[i]
		at := slices.Index(nodes, e.Actor)
		if e.Kind == sim.EventDial && e.Peer == client && at >= 0 && !slices.Contains(order, at) {
			order = append(order, at)
		}
	}
	for at := range nodes {
		if !slices.Contains(order, at) {
			order = append(order, at)
		}
	}
	text, err := json.Marshal(order)
	if err != nil {
		panic(err) // it is a list of numbers
	}
	return []string{realclient.RouteVariable + "=" + string(text)}
}
