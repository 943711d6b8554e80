// Package lockpick has the sources of the locks that come with Lockpick. Nothing but simrun export needs them: it copies a lock's code into
// a test for its maintainers. The locks themselves are in packages below lock, and the command is in cmd/simrun.
package lockpick

import "embed"

// Sources has the source code of the locks and of how they are made.
//
//go:embed lock stores/redis/builtin
var Sources embed.FS
