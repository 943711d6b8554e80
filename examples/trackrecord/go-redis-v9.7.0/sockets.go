package swapped

import (
	"bytes"
	"context"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// SetNX asks a server on loopback for a key that another has, and returns what the client says. The server answers CLIENT
// SETINFO only when SET has come.
func SetNX(ctx context.Context) (bool, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false, err
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
	return rdb.SetNX(ctx, "lock", "mine", time.Minute).Result()
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
