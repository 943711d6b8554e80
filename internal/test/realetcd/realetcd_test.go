package realetcd_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
)

func TestServer(t *testing.T) {
	realserver.CheckLife(t, realetcd.Need, func(t *testing.T) string { return realetcd.Start(t, time.Second).Addr })
}

func TestServed(t *testing.T) {
	server := realetcd.Start(t, time.Second)
	// The gateway passes it on as a message of Range.
	answer, err := http.Post("http://"+server.Addr+"/v3/kv/range", "application/json", strings.NewReader(`{"key":"Zm9v"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	served, err := server.Served()
	if err != nil || served["Range"] != 1 || served["Put"] != 0 {
		t.Errorf("after a Range it has served %v, %v", served, err)
	}
}
