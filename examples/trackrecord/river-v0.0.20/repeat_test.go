package elector_test

import (
	"testing"

	adapter "github.com/riverqueue/river/lockpick"

	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, adapter.NewLock, adapter.Table) }

// TestRunsRepeat shows that the elector and pgx are deterministic here. It tests Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { storetest.Test(t, adapter.NewLock, adapter.Table) }
