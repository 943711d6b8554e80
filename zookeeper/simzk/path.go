package simzk

import "strings"

// Paths of the znodes that every ensemble has.
const (
	rootPath      = "/"
	zookeeperPath = "/zookeeper"
	quotaPath     = "/zookeeper/quota"
	configPath    = "/zookeeper/config"
)

// special reports whether a znode cannot be deleted.
func special(path string) bool {
	return path == rootPath || path == zookeeperPath || path == quotaPath || path == configPath
}

// split returns the path of the parent and the name of a znode below it.
func split(path string) (parent, name string) {
	slash := strings.LastIndexByte(path, '/')
	if slash <= 0 {
		return rootPath, path[slash+1:]
	}
	return path[:slash], path[slash+1:]
}

// splits reports whether a path has a parent and no null character in it. That
// is all that a server asks of paths to delete, and of those to create before
// they have their sequence number.
func splits(path string) bool {
	return strings.Contains(path, "/") && !strings.Contains(path, "\x00")
}

// valid reports whether a path may be a znode's.
func valid(path string) bool {
	if path == rootPath {
		return true
	}
	if path == "" || path[0] != '/' {
		return false
	}
	for name := range strings.SplitSeq(path[1:], "/") {
		if name == "" || name == "." || name == ".." || strings.ContainsFunc(name, forbidden) {
			return false
		}
	}
	return true
}

// forbidden reports whether no path may have the character: control characters,
// surrogates with all that Java needs them for, private use, specials.
func forbidden(c rune) bool {
	return c <= 0x1f || c >= 0x7f && c <= 0x9f || c >= 0xd800 && c <= 0xf8ff || c >= 0xfff0
}
