package locktest_test

import (
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
)

func TestMain(m *testing.M) {
	cells.Main(m, func() {
		if userDir != "" {
			_ = os.RemoveAll(userDir) // it is in a directory for what may be lost
		}
	})
}
