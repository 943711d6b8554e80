//go:build !unix

package attach

import (
	"os"
	"os/exec"
)

// This system has no groups of processes: a command must be the client itself.

func ownGroup(*exec.Cmd)            {}
func signalGroup(*os.Process, bool) {}
func killGroup(*os.Process)         {}
