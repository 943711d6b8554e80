package goredis_test

import (
	"bytes"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// TestSockets shows it on real sockets: SetNX returns true, though the server has answered that another has the key.
func TestSockets(t *testing.T) {
	if ok, err := setNX(t); !ok {
		t.Errorf("SetNX: %v, %v", ok, err)
	}
}

// setNX asks a server for a key that another has. The server answers CLIENT SETINFO only when SET has come.
func setNX(t *testing.T) (bool, error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answer(conn)
		}
	}()
	rdb := redis.NewClient(&redis.Options{Addr: l.Addr().String(), Protocol: 2, ReadTimeout: 100 * time.Millisecond})
	defer func() { _ = rdb.Close() }()
	return rdb.SetNX(t.Context(), "lock", "mine", time.Minute).Result()
}

// answer answers the requests of a connection, of which the client sends the next when the last is answered or has timed out.
func answer(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	buffer := make([]byte, 4096)
	held := ""
	for {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		switch request := bytes.ToLower(buffer[:n]); {
		case bytes.Contains(request, []byte("setinfo")):
			held = "+OK\r\n+OK\r\n"
		case bytes.Contains(request, []byte("\r\nset\r\n")):
			_, _ = conn.Write([]byte(held + "$-1\r\n")) // nil: the key is there already
		default:
			_, _ = conn.Write([]byte("-ERR unknown command\r\n"))
		}
	}
}
