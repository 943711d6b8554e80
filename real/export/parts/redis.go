package parts

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// RedisServer is the address of an empty Redis: $REDIS_ADDR, whose key it deletes, or a redis-server of its own.
func RedisServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv("REDIS_ADDR")
	if address == "" {
		address = StartRedis(t)
	}
	deleted := redis.NewClient(&redis.Options{Addr: address})
	defer deleted.Close()
	if err := deleted.Del(t.Context(), LockName).Err(); err != nil {
		t.Fatal(err)
	}
	return address
}

// StartRedis starts a redis-server, with more arguments.
func StartRedis(t testing.TB, more ...string) (address string) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		Missing(t, "redis-server is not installed, and REDIS_ADDR names no Redis")
	}
	address = FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	server := exec.Command("redis-server", append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()}, more...)...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	AwaitListener(t, address)
	return address
}

// FreeAddress is one on which nobody listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// AwaitListener waits until somebody listens.
func AwaitListener(t testing.TB, address string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("nobody listens on %s: %v", address, err)
		}
	}
}

// Missing skips the test, or fails it where CI is set: a server is missing.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// RedisRecord is what Redis has under the lock's name, empty if nothing.
func RedisRecord(t testing.TB, address string) string {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: address})
	defer c.Close()
	text, err := c.Dump(context.Background(), LockName).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	return text
}

// PassRedis carries requests and answers, one after another.
func PassRedis(n *Network, client, server net.Conn) {
	defer Cut(client, server)
	requests, answers := bufio.NewReader(client), bufio.NewReader(server)
	for {
		request, err := readRESP(requests)
		if err != nil {
			return
		}
		words := bytes.Split(request, []byte("\r\n")) // *3 $3 SET …
		command := ""
		if len(words) > 2 {
			command = strings.ToUpper(string(words[2]))
		}
		r := n.of(func(word string) bool { return strings.HasPrefix(command, word) })
		r.sent()
		if _, err := server.Write(request); err != nil {
			return
		}
		if strings.HasSuffix(command, "SUBSCRIBE") { // from now on messages come unasked
			go func() { _, _ = io.Copy(server, requests) }()
			_, _ = io.Copy(client, answers)
			return
		}
		answer, err := readRESP(answers)
		for err == nil && answer[0] == '>' {
			if _, err = client.Write(answer); err == nil {
				answer, err = readRESP(answers)
			}
		}
		if err != nil {
			return
		}
		if bytes.HasPrefix(answer, []byte("-NOSCRIPT")) { // the script is sent again, whole
			n.again(r)
		} else if r.answered() {
			return
		}
		if _, err := client.Write(answer); err != nil {
			return
		}
	}
}

// readRESP reads one request or answer.
func readRESP(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil || len(line) < 3 {
		return line, errors.Join(err, io.ErrUnexpectedEOF)
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(line[1:])))
	switch line[0] {
	case '$', '=', '!':
		if n >= 0 {
			text := make([]byte, n+2)
			_, err = io.ReadFull(r, text)
			line = append(line, text...)
		}
	case '%':
		n *= 2
		fallthrough
	case '*', '~', '>':
		for i := 0; i < n && err == nil; i++ {
			var part []byte
			part, err = readRESP(r)
			line = append(line, part...)
		}
	}
	return line, err
}

// RedisOptions are those of a client of one server.
func RedisOptions(c *Client) *redis.Options { return &redis.Options{Addr: c.Addresses()[0]} }

// RedisAllOptions are those of clients of all servers.
func RedisAllOptions(c *Client) (list []*redis.Options) {
	for _, address := range c.Addresses() {
		list = append(list, &redis.Options{Addr: address})
	}
	return list
}

// RedisConnect connects to a server.
func RedisConnect(c *Client) *redis.Client {
	rdb := redis.NewClient(RedisOptions(c))
	c.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// RedisUniversal connects to a server.
func RedisUniversal(c *Client, edit func(*redis.UniversalOptions)) redis.UniversalClient {
	o := &redis.UniversalOptions{Addrs: c.Addresses()[:1]}
	if edit != nil {
		edit(o)
	}
	rdb := redis.NewUniversalClient(o)
	c.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// Whose says whose a record is.
func Whose(record, mine string) string {
	switch record {
	case "":
		return "it is gone"
	case mine:
		return "it is this client's"
	}
	return fmt.Sprintf("it is another's (%q)", record)
}
