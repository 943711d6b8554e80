package ownstore

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/examples/ownstore/leases"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

// drawScript draws requests, and waits, after which leases may be over. The lengths leave time for requests.
func drawScript(rt *rapid.T) []string {
	var commands []string
	for _, name := range []string{"a", "b"} {
		commands = append(commands, "DROP "+name, "SHOW "+name)
		for _, holder := range []string{"x", "y"} {
			commands = append(commands, "TAKE "+name+" "+holder+" 1000", "FREE "+name+" "+holder)
		}
	}
	commands = append(commands, "wait 300ms", "wait 1600ms", "TAKE a", "TAKE a x 0", "LOOK a", "FREE a x y")
	return rapid.SliceOfN(rapid.SampledFrom(commands), 1, 20).Draw(rt, "script")
}

// play sends a script by a client, and returns each command with its answer.
func play(script []string, c *leases.Client, wait func(time.Duration)) (lines []string) {
	for _, command := range script {
		if length, is := strings.CutPrefix(command, "wait "); is {
			d, _ := time.ParseDuration(length)
			wait(d)
		} else {
			answer, err := c.Do(context.Background(), command)
			lines = append(lines, fmt.Sprintf("%s: %s %v", command, answer, err))
		}
	}
	return lines
}

func onSimulated(script []string) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		g := newGroup(w, 3, time.Second, 50*time.Millisecond, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			dial := func(ctx context.Context, network, address string) (net.Conn, error) {
				return p.DialContext(ctx, network, address, 0)
			}
			*lines = play(script, &leases.Client{Addresses: g.Addresses(), Dial: dial}, func(d time.Duration) { p.Step("sleep", d) })
		})
	})
}

// onReal plays the script on a server on this machine, whose clock the test moves.
func onReal(t *testing.T, script []string) []string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	clock := clockwork.NewFakeClock()
	go func() { _ = leases.NewServer(clock).Serve(l) }()
	return play(script, &leases.Client{Addresses: []string{l.Addr().String()}, Dial: new(net.Dialer).DialContext}, clock.Advance)
}

// TestFidelity compares answers to random scripts.
func TestFidelity(t *testing.T) {
	fidelity.Check(t, func(rt *rapid.T) string {
		script := drawScript(rt)
		return fidelity.Difference(onSimulated(script), onReal(t, script), func(string) bool { return false })
	})
}

// TestAnswers: a script whose answers are known, so that the comparison is about something.
func TestAnswers(t *testing.T) {
	script := []string{
		"SHOW a", "TAKE a x 1000", "TAKE a y 1000", "TAKE a x 1000", "FREE a y", "SHOW a", "wait 1600ms", "SHOW a",
		"TAKE a y 1000", "FREE a y", "FREE a y", "TAKE a x 1000", "DROP a", "DROP a", "LOOK a",
	}
	want := "NO OK 1 BUSY OK 1 NO OK x NO OK 2 OK NO OK 3 OK NO ERR "
	for name, lines := range map[string][]string{"simulated": onSimulated(script), "real": onReal(t, script)} {
		got := ""
		for _, line := range lines {
			_, answer, _ := strings.Cut(line, ": ")
			got += strings.TrimSuffix(answer, "<nil>")
		}
		if got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
