package fleet

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"

	natsd "github.com/nats-io/nats-server/v2/server"

	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

const (
	// asSimrun has this binary be simrun with the locks over Redis, for tests that need processes.
	asSimrun = "LOCKPICK_TEST_AS_SIMRUN"
	// asNATS has it be nats-server.
	asNATS = "LOCKPICK_TEST_AS_NATS"
	// fullAt is how many bytes a file of that process may have, as on a disk that is full. The signal SIGUSR1 makes room.
	fullAt = "LOCKPICK_TEST_FULL_AT"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(fullAt); text != "" {
		if err := full(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	switch {
	case os.Getenv(asSimrun) != "":
		simrun.Main(simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...), simrun.Commands(Command()))
	case os.Getenv(asNATS) != "":
		if err := natsServer(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// full lets files grow to so many bytes, until a signal comes.
func full(text string) error {
	most, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return err
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		return err
	}
	mended := make(chan os.Signal, 1)
	signal.Notify(mended, syscall.SIGUSR1)
	go func() {
		<-mended
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			panic(err)
		}
	}()
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: before.Max})
}

// natsServer is nats-server with its own flags, until it is killed.
func natsServer(args []string) error {
	set := flag.NewFlagSet("nats-server", flag.ContinueOnError)
	options, err := natsd.ConfigureOptions(set, args, func() {}, func() {}, func() {})
	if err != nil {
		return err
	}
	s, err := natsd.NewServer(options)
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}
