package playground_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
)

func TestMain(m *testing.M) { cells.Main(m) }
