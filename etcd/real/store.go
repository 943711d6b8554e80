package real

import (
	"path"
	"strings"

	etcdstore "github.com/lockpick-dev/lockpick/etcd/store"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Store is etcd.
var Store confirm.Ensemble = store{}

// New returns Store, for [confirm.Stores].
func New(confirm.Setup) confirm.Store { return Store }

type store struct{}

// Authority is what histories call a cluster.
func (store) Authority() string { return etcdstore.Store.ID() }

// Free are the requests that keep a lease alive, and those that give up a call.
func (store) Free(signature string) bool {
	return signature == path.Base(keepAliveMethod) || strings.HasPrefix(signature, givesUp)
}

// Key is the key of a signature, if it is about one.
func (store) Key(signature string) string {
	_, key, _ := strings.Cut(signature, " ")
	return key
}

// Blocks is false: a server answers each request at once.
func (store) Blocks(string) bool { return false }

// Refused is false: there is one form of each request.
func (store) Refused([]byte) bool { return false }
