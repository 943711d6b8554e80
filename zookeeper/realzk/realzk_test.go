package realzk_test

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/zookeeper/realzk"
)

func TestServer(t *testing.T) {
	realserver.CheckLife(t, realzk.Need, func(t *testing.T) string { return realzk.Start(t, 200*time.Millisecond).Addr })
}

func TestServed(t *testing.T) {
	server := realzk.Start(t, 200*time.Millisecond)
	before, err := server.Served()
	if err != nil {
		t.Fatal(err)
	}
	if after, err := server.Served(); err != nil || after != before+1 {
		t.Errorf("after %d packets and one question there are %d, %v", before, after, err)
	}
}
