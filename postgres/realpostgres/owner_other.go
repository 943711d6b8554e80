//go:build !unix

package realpostgres

import "os/exec"

func owner() string { return "user" }

func own(string) error { return nil }

func asOwner(*exec.Cmd) {}
