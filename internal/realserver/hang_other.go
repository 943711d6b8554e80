//go:build !unix

package realserver

import (
	"errors"
	"os"
)

// Hang returns an error: this system has no signals that stop and continue a process.
func Hang(*os.Process, bool) error {
	return errors.New("a process is stopped, and goes on, by signals that this system does not have")
}
