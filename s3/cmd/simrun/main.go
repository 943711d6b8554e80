// Command simrun is github.com/lockpick-dev/lockpick/cmd/simrun with the locks over S3 besides.
package main

import (
	s3 "github.com/lockpick-dev/lockpick/s3/builtin"
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Locks(s3.Locks()...), simrun.Families(s3.Families()...),
		simrun.Elsewhere(builtin.Elsewhere()),
	)
}
