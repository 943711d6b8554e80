package fleet

import (
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// asSimrun has this binary be simrun with the locks over Redis, for tests that need processes.
const asSimrun = "LOCKPICK_TEST_AS_SIMRUN"

func TestMain(m *testing.M) {
	if os.Getenv(asSimrun) != "" {
		simrun.Main(simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...), simrun.Commands(Command()))
	}
	os.Exit(m.Run())
}
