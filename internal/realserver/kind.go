package realserver

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Kind is a kind of server that may be installed.
type Kind struct {
	// Name is the name of the server in messages.
	Name string
	// Missing returns what the server lacks to run, such as "java is not on the PATH". It is empty if it lacks nothing.
	Missing func() string
	// Packages are the Debian packages with the server, by their names in apt.
	Packages string
}

// NotOnPath returns a [Kind]'s Missing for a program that is looked for on the PATH.
func NotOnPath(program string) string {
	if _, err := exec.LookPath(program); err != nil {
		return program + " is not on the PATH"
	}
	return ""
}

// Installed reports whether the server can run.
func (k Kind) Installed() bool { return k.Missing() == "" }

// MissingError is the error of a server that cannot run, with how to install it.
type MissingError struct {
	Kind    Kind
	Missing string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("there is no %s: %s; install it (Debian: apt install %s)", e.Kind.Name, e.Missing, e.Kind.Packages)
}

// Need skips the test if the server is not installed, and fails it if the variable CI is set.
func (k Kind) Need(t testing.TB) {
	t.Helper()
	missing := k.Missing()
	switch {
	case missing == "":
	case os.Getenv("CI") != "":
		t.Fatalf("%s, and CI needs it to compare with a real %s", missing, k.Name)
	default:
		t.Skipf("SKIPPED, NOT PASSED: %s. Nothing was compared with a real %s; install it (Debian: apt install %s)", missing, k.Name, k.Packages)
	}
}
