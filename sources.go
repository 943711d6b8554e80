// Package lockpick has the sources of the locks that come with Lockpick. Nothing but simrun export needs them: it copies a lock's code into
// a test for its maintainers. The locks themselves are in packages below lock, and the command is in cmd/simrun.
package lockpick

import "embed"

// Sources is a part of the module's tree: its locks, how they are made, and what exported tests are made of.
//
//go:embed lock stores/redis/builtin internal/export/parts
var Sources embed.FS
