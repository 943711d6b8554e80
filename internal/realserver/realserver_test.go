package realserver_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// listen names the address at which this test binary is a server.
const listen = "REALSERVER_LISTEN"

func TestMain(m *testing.M) {
	addr := os.Getenv(listen)
	if addr == "" {
		os.Exit(m.Run())
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Println("cannot listen:", err)
		os.Exit(1)
	}
	for {
		if c, err := l.Accept(); err == nil {
			_ = c.Close()
		}
	}
}

// there is a kind of server that is installed.
var there = realserver.Kind{Name: "Listener", Missing: func() string { return "" }}

// server is this test binary, as one that listens at an address.
type server struct {
	addr string
	*realserver.Process
}

// launch starts a server at the address.
func launch(dir, addr string) (*server, error) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), listen+"="+addr)
	p, err := realserver.Run(dir, command, func() error {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err
	})
	return &server{addr, p}, err
}

// TestStart has the first port taken by somebody else.
func TestStart(t *testing.T) {
	tries, dir := 0, ""
	realserver.CheckLife(t, there.Need, func(t *testing.T) string {
		s := realserver.Start(t, there, func(d string) (*server, error) {
			tries, dir = tries+1, d
			if tries == 1 {
				return nil, errors.New("the port is taken")
			}
			addr, err := realserver.FreeAddr()
			if err != nil {
				return nil, err
			}
			return launch(d, addr)
		})
		return s.addr
	})
	if tries != 2 {
		t.Errorf("it was started %d times, want 2", tries)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("its directory is still there: %v", err)
	}
}

// TestRunTellsTheLog: a server that ends before it answers.
func TestRunTellsTheLog(t *testing.T) {
	_, _, err := realserver.Launch(there, func(dir string) (*server, error) { return launch(dir, "nowhere") })
	if err == nil {
		t.Fatal("it runs")
	}
	for _, part := range []string{"Listener does not start", "it has ended", "cannot listen"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

// TestMissing: a program hears what is missing.
func TestMissing(t *testing.T) {
	none := realserver.Kind{Name: "Nothing", Packages: "nothing-server", Missing: func() string { return "no-such-program is not on the PATH" }}
	_, _, err := realserver.Launch(none, func(dir string) (*server, error) { return launch(dir, "nowhere") })
	var missing *realserver.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "apt install nothing-server") {
		t.Errorf("the error is %v", err)
	}
}

// outcome is a test that notes how it ends.
type outcome struct {
	testing.TB
	skipped, failed string
}

func (o *outcome) Helper() {}

func (o *outcome) Skipf(format string, args ...any) {
	o.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (o *outcome) Fatalf(format string, args ...any) {
	o.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestNeed: a test that cannot run is not passed.
func TestNeed(t *testing.T) {
	missing := realserver.Kind{
		Name: "Nothing", Packages: "nothing-server",
		Missing: func() string { return realserver.NotOnPath("no-such-program") },
	}
	need := func(k realserver.Kind) (o outcome) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			k.Need(&o)
		}()
		<-done
		return o
	}
	t.Setenv("CI", "")
	if o := need(missing); o.failed != "" || !strings.HasPrefix(o.skipped, "SKIPPED, NOT PASSED: no-such-program is not on the PATH") {
		t.Errorf("skipped: %q, failed: %q", o.skipped, o.failed)
	}
	t.Setenv("CI", "true")
	if o := need(missing); o.skipped != "" || !strings.HasPrefix(o.failed, "no-such-program is not on the PATH") {
		t.Errorf("with CI, skipped: %q, failed: %q", o.skipped, o.failed)
	}
	if o := need(there); o.skipped != "" || o.failed != "" {
		t.Errorf("what is there is skipped: %q, failed: %q", o.skipped, o.failed)
	}
}
