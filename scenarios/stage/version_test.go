package stage_test

import (
	"regexp"
	"testing"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// TestModuleVersion: a test binary, too, knows the versions of what it was built of.
func TestModuleVersion(t *testing.T) {
	if v := stage.ModuleVersion("github.com/jonboulle/clockwork", clockwork.NewRealClock); !regexp.MustCompile(`^v\d+\.\d+\.\d+`).MatchString(v) {
		t.Errorf("the version is %q", v)
	}
	if v := stage.ModuleVersion("example.com/other", clockwork.NewRealClock); v != "unknown" {
		t.Errorf("a module that is not compiled in has the version %q", v)
	}
}
