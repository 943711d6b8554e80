package realmysql_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/mysql/realmysql"
)

func TestServer(t *testing.T) {
	realserver.CheckLife(t, realmysql.Need, func(t *testing.T) string { return realmysql.Start(t).Addr })
}

func TestServed(t *testing.T) {
	server := realmysql.Start(t)
	before, err := server.Served(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Load(t.Context(), "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	after, err := server.Served(t.Context())
	if err != nil || after["INSERT"]-before["INSERT"] != 2 || after["CREATE TABLE"]-before["CREATE TABLE"] != 1 {
		t.Errorf("before it had executed %v, then %v, %v", before, after, err)
	}
}
