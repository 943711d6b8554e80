package real

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// pair is a connection of a to b through a network, with a line that b reads of it.
type pair struct {
	n    *network
	a, b net.Conn
	line func(within time.Duration) string // that b gets, empty if none comes
}

// joined has a connect to b, as a follower or to vote.
func joined(t *testing.T, votes bool, set func(*network)) *pair {
	t.Helper()
	n := newNetwork()
	t.Cleanup(n.close)
	set(n)
	for _, way := range [][2]string{{"a", "b"}, {"b", "a"}} {
		if err := n.join(way[0], way[1]); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	accepted := make(chan net.Conn, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			accepted <- c
		}
	}()
	n.begin("b", l.Addr().String(), l.Addr().String())
	a, err := net.Dial("tcp", n.reached("a", "b")[map[bool]int{false: 0, true: 1}[votes]])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	p := &pair{n: n, a: a}
	var reader *bufio.Reader
	p.line = func(within time.Duration) string {
		if p.b == nil {
			select {
			case p.b = <-accepted:
				reader = bufio.NewReader(p.b)
				t.Cleanup(func() { _ = p.b.Close() })
			case <-time.After(within):
				return ""
			}
		}
		_ = p.b.SetReadDeadline(time.Now().Add(within))
		line, _ := reader.ReadString('\n') // no line is none
		return strings.TrimSpace(line)
	}
	return p
}

const (
	soon = 50 * time.Millisecond
	late = 10 * time.Second
)

// TestHeld: what a member sends another waits while the network holds it, and so does the end of a connection.
func TestHeld(t *testing.T) {
	p := joined(t, false, func(*network) {})
	_, _ = io.WriteString(p.a, "one\n")
	if got := p.line(late); got != "one" {
		t.Fatalf("%q", got)
	}
	p.n.all.Hold(func(from, to string) bool { return from == "b" && to == "a" })
	_, _ = io.WriteString(p.a, "two\n")
	if got := p.line(late); got != "two" {
		t.Errorf("the other direction is held: %q", got)
	}
	p.n.all.Hold(func(from, to string) bool { return from == "a" && to == "b" })
	_, _ = io.WriteString(p.a, "three\n")
	_ = p.a.Close()
	if got := p.line(soon); got != "" {
		t.Errorf("%q passes", got)
	}
	p.n.all.Hold(nil)
	if got := p.line(late); got != "three" {
		t.Errorf("what was held comes as %q", got)
	}
	if _, err := p.b.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the connection comes as %v", err)
	}
}

// TestVotes: votes pass only when they may, and what a voter says of its own address is that of a proxy.
func TestVotes(t *testing.T) {
	p := joined(t, true, func(n *network) { n.voting.Hold(func(string, string) bool { return true }) })
	const own = "127.0.0.1:1"
	version := int64(-65536)
	greeting := binary.BigEndian.AppendUint64(nil, uint64(version))
	greeting = binary.BigEndian.AppendUint64(greeting, 3)
	greeting = append(binary.BigEndian.AppendUint32(greeting, uint32(len(own))), own...)
	_, _ = p.a.Write(append(greeting, "\nvote\n"...))
	if got := p.line(soon); got != "" {
		t.Errorf("%q passes", got)
	}
	p.n.voting.Hold(func(from, to string) bool { return from != "a" || to != "b" })
	if got, want := p.line(late), p.n.reached("b", "a")[1]; !strings.HasSuffix(got, want) || strings.Contains(got, own) {
		t.Errorf("the voter is to be reached at %q, want %s", got, want)
	}
	if got := p.line(late); got != "vote" {
		t.Errorf("its vote is %q", got)
	}
	p.n.voting.Hold(func(string, string) bool { return true })
	_, _ = io.WriteString(p.a, "again\n")
	if got := p.line(soon); got != "" {
		t.Errorf("%q passes", got)
	}
}

// TestNumbered: those that lead have the highest numbers, the first one the highest.
func TestNumbered(t *testing.T) {
	for leaders, want := range map[string]string{"a": "b c a", "b": "a c b", "a c": "b c a", "b a b": "c a b", "c b a": "a b c"} { // unordered: each by itself
		if got := strings.Join(numbered([]string{"a", "b", "c"}, strings.Fields(leaders)), " "); got != want {
			t.Errorf("with leaders %s: %s, want %s", leaders, got, want)
		}
	}
}
