// Command gomysqllock is lockbench with sanketplus/go-mysql-lock, in the version that it was built with: the bad one by go.mod, the repaired one by good.mod.
package main

import (
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs/published"
	"github.com/lockpick-dev/lockpick/cell"
	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.6"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/mysql/real"
)

func main() {
	published.Main(cell.Lock{ID: "gomysqllock", Summary: "sanketplus/go-mysql-lock", Store: mysql.Store, Subject: cell.Mutex(adapter.NewLock)}, real.New)
}
