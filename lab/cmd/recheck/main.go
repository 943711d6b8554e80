// Command recheck verifies a certificate that simrun check --certificate wrote, without the code of the search:
//
//	simrun check gc-pause --lock setpx-fenced --certificate gc-pause.cert.json
//	recheck gc-pause.cert.json
//
// It has the locks over all stores. Package certificate says what it does and what a certificate means; a program with other locks
// calls [certificate.Command] with its own.
package main

import (
	"context"
	"os"
	"os/signal"
	"slices"

	"github.com/lockpick-dev/lockpick/certificate"
	etcd "github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/lab/builtin"
	"github.com/lockpick-dev/lockpick/lab/experiments"
	"github.com/lockpick-dev/lockpick/scenarios"
)

func main() {
	experiments.Quiet()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	locks := slices.Concat(builtin.Locks(), etcd.Locks())
	code := certificate.Command(ctx, scenarios.Registry(locks), os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
