package golden

import (
	"os"
	"strings"
	"testing"
)

// Other is the environment variable that names a library in use in another version than that in go.mod: its path, a space
// and the version. A test binary does not know the versions of its modules.
const Other = "LOCKPICK_OTHER"

// Pinned skips a test if a library is in use in another version than that in go.mod. It is for tests of files that were
// made with that version and differ with others.
func Pinned(t testing.TB, library string) {
	t.Helper()
	if other, version, _ := strings.Cut(os.Getenv(Other), " "); other == library {
		t.Skipf("it was made with another version of %s than %s", library, version)
	}
}
