//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package simrun

import (
	"os"
)

// columns is the width of a terminal in characters, 0 if it does not say.
func columns(*os.File) int { return 0 }
