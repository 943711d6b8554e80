//go:build !unix

package realserver

import (
	"errors"
	"os"
)

// Hang returns an error: no process is stopped and goes on here.
func Hang(*os.Process, bool) error {
	return errors.New("a process is stopped, and goes on, by signals that this system does not have")
}
