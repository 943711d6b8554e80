package zookeeper

import "embed"

// Sources has the source code of the locks over ZooKeeper and of how they are made, for simrun export.
//
//go:embed builtin zklocks
var Sources embed.FS
