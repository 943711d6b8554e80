package realserver

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Kind is a kind of server that may be installed.
type Kind struct {
	// Name is what the server is called in messages.
	Name string
	// Missing says what is missing for the server to run, such as "java is not on
	// the PATH". It is empty if nothing is.
	Missing func() string
	// Packages are those of Debian that have the server, by their names in apt.
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

// MissingError says that a server cannot run, and how it is installed.
type MissingError struct {
	Kind    Kind
	Missing string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("there is no %s: %s; install it (Debian: apt install %s)", e.Kind.Name, e.Missing, e.Kind.Packages)
}

// Need skips the test where the server is missing, and fails it if the variable CI is set.
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
