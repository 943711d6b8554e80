package simrun

import (
	"net"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/internal/test/testlocks"
)

// server answers all requests but a greeting with OK, at a real port.
func server(t *testing.T) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close() // nobody is left to tell
				request := make([]byte, 1<<10)
				for {
					n, err := conn.Read(request)
					if err != nil {
						return
					}
					answer := "+OK\r\n"
					if strings.Contains(strings.ToLower(string(request[:n])), "hello") {
						answer = "-ERR unknown command\r\n"
					}
					if _, err := conn.Write([]byte(answer)); err != nil {
						return
					}
				}
			}()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestRealNetwork: of a lock that leads out of the simulation it is said that it
// does, whether somebody is there or not, and nothing else.
func TestRealNetwork(t *testing.T) {
	slowtest.SkipIfShort(t)
	there := server(t)
	for _, test := range []struct{ lock, port string }{
		{"test-localhost", there}, {"test-localhost", "1"}, {"test-loopback", there}, {"test-loopback", "1"},
	} {
		t.Run(test.lock+":"+test.port, func(t *testing.T) {
			t.Setenv(testlocks.Port, test.port)
			for _, command := range []string{"run", "check"} {
				code, out, errs := simrun(t, command, "contention", "--lock", test.lock, "--jobs", "1", "--out", t.TempDir(), "-p", "clients=1", "-p", "rounds=1")
				says := "INCONCLUSIVE in schedule 0: the lock uses real networking (dials 127.0.0.1:" + test.port + ")"
				if code != exitInconclusive || strings.Count(out, says) != 1 || strings.Contains(out, "VIOLATED") || strings.Count(out, " in schedule ") != 1 {
					t.Errorf("%s: exit code %d, want %d saying %q once\n%s%s", command, code, exitInconclusive, says, out, errs)
				}
			}
		})
	}
}
