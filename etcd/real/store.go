package real

import (
	"path"
	"strings"

	etcdstore "github.com/lockpick-dev/lockpick/etcd/store"

	"github.com/lockpick-dev/lockpick/model"
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

// View is that of a queue if the keys are below the lock's name, as those of etcd's recipes are: the first that was created
// has the lock.
func (store) View(name string, keys []string) model.Ownership {
	for _, key := range keys {
		if before, _, below := strings.Cut(key, name+"/"); below {
			return model.SequenceOwnership{Prefix: before + name + "/", ByRevision: true}
		}
	}
	return nil
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
