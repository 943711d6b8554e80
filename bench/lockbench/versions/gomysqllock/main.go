// Command gomysqllock is lockbench with sanketplus/go-mysql-lock, in the version that it was built with: the bad one by go.mod, the repaired one by good.mod.
package main

import (
	"fmt"
	"os"

	"github.com/lockpick-dev/lockpick/bench/lockbench/arms"
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs/published"
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/mysql/real"
)

func main() {
	l := cell.Lock{ID: "gomysqllock", Summary: "sanketplus/go-mysql-lock", Store: mysql.Store, Subject: cell.Mutex(newLock)}
	did, err := trial.Main(os.Args[1:], published.Of("versions/gomysqllock", l, real.New), arms.All())
	if err == nil && !did {
		err = fmt.Errorf("it only makes tries for lockbench")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gomysqllock:", err)
		os.Exit(1)
	}
}
