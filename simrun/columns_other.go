//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package simrun

import (
	"os"
)

// columns returns the width of a terminal in characters, 0 if it is unknown.
func columns(*os.File) int { return 0 }
