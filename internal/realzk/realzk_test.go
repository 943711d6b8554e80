package realzk_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/realzk"
)

func TestServer(t *testing.T) {
	realserver.CheckLife(t, realzk.Need, func(t *testing.T) string { return realzk.Start(t, 200*time.Millisecond).Addr })
}
