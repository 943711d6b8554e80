package realmysql_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realmysql"
	"github.com/lockpick-dev/lockpick/internal/realserver"
)

func TestServer(t *testing.T) {
	realserver.CheckLife(t, realmysql.Need, func(t *testing.T) string { return realmysql.Start(t).Addr })
}
