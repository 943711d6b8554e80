//go:build unix && !linux

package realserver

import "os"

// awaitStop does not wait: the system does not report when a process is stopped.
func awaitStop(*os.Process) error { return nil }
