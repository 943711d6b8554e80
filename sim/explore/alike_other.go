//go:build !linux

package explore

import "os/exec"

// startAlike starts a program.
func startAlike(cmd *exec.Cmd) error { return cmd.Start() }
