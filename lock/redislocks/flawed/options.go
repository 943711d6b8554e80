package flawed

import (
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

func withDefaults(o redislocks.Options) polling.Options { return polling.Options(o).WithDefaults() }
