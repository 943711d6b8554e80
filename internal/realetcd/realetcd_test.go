package realetcd_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realetcd"
	"github.com/lockpick-dev/lockpick/internal/realserver"
)

func TestServer(t *testing.T) {
	realserver.CheckLife(t, realetcd.Need, func(t *testing.T) string { return realetcd.Start(t, time.Second).Addr })
}
