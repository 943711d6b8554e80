package simredis

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// TestEagerWrites: nobody reads yet, and Write and Close return; all arrives in
// order, and the end behind it.
func TestEagerWrites(t *testing.T) {
	near, far := net.Pipe()
	e := NewEager(near)
	for _, text := range []string{"one", "two", "three"} {
		if n, err := e.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Write(nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write after the end: %v", err)
	}
	if _, err := e.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a read after the end: %v", err)
	}
	got, err := io.ReadAll(far)
	if string(got) != "onetwothree" || err != nil {
		t.Errorf("what arrived is %q, %v", got, err)
	}
}

// TestEagerCloseEndsRead: a Read that waits is over with Close, though what was written
// before has not left yet.
func TestEagerCloseEndsRead(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	e := NewEager(near)
	if _, err := e.Write([]byte("one")); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := e.Read(make([]byte, 1))
		ended <- err
	}()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the read ended with %v", err)
	}
}

// TestDialEager: the greeting is answered before there is a connection, what follows
// is sent as soon as there is one, and reads wait for it.
func TestDialEager(t *testing.T) {
	near, far := net.Pipe()
	may := make(chan struct{})
	e := DialEager("tcp", "10.0.1.1:6379", func(context.Context) (net.Conn, error) {
		<-may
		return near, nil
	})
	if got := e.RemoteAddr().String(); got != "10.0.1.1:6379" {
		t.Errorf("it leads to %s", got)
	}
	write := func(words ...string) {
		t.Helper()
		if _, err := e.Write(encode(words...)); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		t.Helper()
		b := make([]byte, 100)
		n, err := e.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	write("hello", "2")
	write("client", "setinfo", "LIB-NAME", "x")
	if got, want := read(), "-ERR unknown command 'HELLO'\r\n+OK\r\n"; got != want {
		t.Errorf("the greeting is answered with %q, want %q", got, want)
	}
	_ = e.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := e.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read whose deadline is over: %v", err)
	}
	_ = e.SetReadDeadline(time.Time{})
	write("subscribe", "a")
	write("hello", "2") // no greeting any more
	close(may)
	go func() {
		want := string(encode("subscribe", "a")) + string(encode("hello", "2"))
		got := make([]byte, len(want))
		if _, err := io.ReadFull(far, got); err != nil || string(got) != want {
			t.Errorf("what arrived is %q, %v, want %q", got, err, want)
		}
		_, _ = far.Write([]byte("done"))
	}()
	if got := read(); got != "done" {
		t.Errorf("read %q", got)
	}
}

// TestDialEagerFails: if dialing fails, reads and writes fail with its error. Close
// ends the attempt.
func TestDialEagerFails(t *testing.T) {
	failure := errors.New("refused on purpose")
	e := DialEager("tcp", "10.0.1.1:6379", func(context.Context) (net.Conn, error) { return nil, failure })
	if _, err := e.Read(make([]byte, 1)); !errors.Is(err, failure) {
		t.Errorf("a read: %v", err)
	}
	if _, err := e.Write([]byte("x")); !errors.Is(err, failure) {
		t.Errorf("a write: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("the end: %v", err)
	}

	given := make(chan error)
	e = DialEager("tcp", "10.0.1.1:6379", func(ctx context.Context) (net.Conn, error) {
		<-ctx.Done()
		given <- ctx.Err()
		return nil, ctx.Err()
	})
	if err := e.Close(); err != nil {
		t.Errorf("the end: %v", err)
	}
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("the attempt ended with %v", err)
	}
}
