package zklocks

import (
	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// Options are the common options of the locks of this package. The session has all
// options about time: see [Open].
type Options struct {
	// ACL is the access control list of all nodes that a lock creates (default:
	// everybody may do everything).
	ACL []zk.ACL
}

// queue returns the queue in a directory.
func (o Options) queue(s *Session, dir string, r recipe.Rule) *recipe.Queue {
	return recipe.NewQueue(s.recipe(), dir, o.ACL, r)
}
