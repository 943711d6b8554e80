package zookeeper

import "embed"

// Sources has the source code of the locks over ZooKeeper and of their constructors, for simrun
// export.
//
//go:embed builtin zklocks
var Sources embed.FS
