package realpostgres_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

func TestServer(t *testing.T) {
	realserver.CheckLife(t, realpostgres.Need, func(t *testing.T) string { return realpostgres.Start(t).Addr })
}

func TestPooler(t *testing.T) {
	realpostgres.Need(t)
	server := realpostgres.Start(t)
	realserver.CheckLife(t, realpostgres.NeedPooler, func(t *testing.T) string {
		return realpostgres.StartPooler(t, server.Addr, realpostgres.Pooling{Mode: "transaction"}).Addr
	})
}
