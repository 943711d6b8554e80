// Command adoption is simrun with published libraries and programs, unmodified, in their newest versions. Each has an adapter of at
// most 60 lines in the file of its name.
//
//	go build -ldflags='-X testing.testBinary=1' .
//	./adoption list
//	./adoption run gc-pause --lock redsync
//	./adoption matrix
//	./adoption page 16 redsync
//
// The flag seeds what crypto/rand gives, such as the ids of google/uuid. The last command writes docs/adoption.md, or a part of it; make
// adoption writes all of it.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/lockpick-dev/lockpick/cell"
	realetcd "github.com/lockpick-dev/lockpick/etcd/real"
	realmysql "github.com/lockpick-dev/lockpick/mysql/real"
	realpostgres "github.com/lockpick-dev/lockpick/postgres/real"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/realcommand"
	realredis "github.com/lockpick-dev/lockpick/real/redis"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/simrun"
	realzk "github.com/lockpick-dev/lockpick/zookeeper/real"
)

// A library is code of others with its adapter.
type library struct {
	module   string       // whose version is shown
	lock     cell.Lock    // that the adapter makes of it
	program  cell.Program // instead of the lock
	expected expect.Expectations
	differs  bool // its runs do not repeat but in a build with the overlay; expected says why
}

// id is its name on the command line.
func (l library) id() string { return l.lock.ID + l.program.ID }

// libraries are in the order of their stores and names.
var libraries = []library{
	asynqLibrary, workLibrary, gocronLibrary, machineryLibrary, redisRateLibrary, redislockLibrary, redsyncLibrary, redsyncQuorum, rockscacheLibrary, rueidislockLibrary,
	atlasLibrary, bunLibrary, goMySQLLock, golangMigrate, gooseLibrary, optimisticLock, gormigrateLibrary, sqlMigrate, watermillLibrary,
	etcdElection, etcdMutex, etcdReadWrite,
	zkLock,
	gocronPostgres, golangMigratePostgres, goosePostgres, gueLibrary, riverLibrary, riverLeader,
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "page" {
		runs, err := strconv.Atoi(os.Args[2])
		if err != nil || runs < 1 {
			fmt.Fprintf(os.Stderr, "adoption: page %s: want a number of schedules, above 0\n", os.Args[2])
			os.Exit(2)
		}
		if err := page(os.Stdout, runs, os.Args[3:]...); err != nil {
			fmt.Fprintln(os.Stderr, "adoption:", err)
			os.Exit(1)
		}
		return
	}
	var locks []cell.Lock
	var programs []cell.Program
	known := expect.Family{Title: "Libraries and programs"}
	for _, l := range libraries {
		if l.program.ID != "" {
			programs = append(programs, l.program)
		} else {
			locks = append(locks, l.lock)
		}
		known.Expectations = append(known.Expectations, l.expected)
	}
	servers := confirm.Stores{"redis": realredis.New, "mysql": realmysql.New, "etcd": realetcd.New, "zookeeper": realzk.New, "postgres": realpostgres.New}
	simrun.Main(simrun.Locks(locks...), simrun.Programs(programs...), simrun.Families(known), simrun.Commands(realcommand.Commands(servers, nil)...))
}
