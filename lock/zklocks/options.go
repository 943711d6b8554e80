package zklocks

import "github.com/go-zookeeper/zk"

// Options are the common options of the locks of this package. What has to do with time
// is the session's: see [Open].
type Options struct {
	// ACL is the access control list of all nodes that a lock creates (default:
	// everybody may do everything).
	ACL []zk.ACL
}

func (o Options) acl() []zk.ACL {
	if o.ACL == nil {
		return zk.WorldACL(zk.PermAll)
	}
	return o.ACL
}

// queue is one in a directory.
func (o Options) queue(s *Session, dir string, r rule) *queue {
	return &queue{session: s, dir: dir, acl: o.acl(), rule: r}
}
