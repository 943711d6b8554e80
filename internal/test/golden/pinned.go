package golden

import (
	"os"
	"strings"
	"testing"
)

// Other is the environment variable that says that a library is at hand in another version than
// go.mod asks for: its path, a space and the version. A test binary does not know the versions
// of its modules.
const Other = "LOCKPICK_OTHER"

// Pinned skips a test if a library is at hand in another version than go.mod asks for. It is
// for tests of what was made with that version and differs with others.
func Pinned(t testing.TB, library string) {
	t.Helper()
	if other, version, _ := strings.Cut(os.Getenv(Other), " "); other == library {
		t.Skipf("it was made with another version of %s than %s", library, version)
	}
}
