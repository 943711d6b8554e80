// Command lockbench compares Lockpick with what people do today, by the locks of package bugs: see doc.go.
package main

import (
	"fmt"
	"os"

	"github.com/lockpick-dev/lockpick/bench/lockbench/arms"
	"github.com/lockpick-dev/lockpick/bench/lockbench/bugs"
	"github.com/lockpick-dev/lockpick/bench/lockbench/trial"
)

func main() {
	if did, err := trial.Main(os.Args[1:], bugs.All(), arms.All()); did || err != nil {
		exit(err)
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "lockbench:", err)
		os.Exit(1)
	}
}
