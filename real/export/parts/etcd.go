//go:build ignore

package parts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// EtcdServer is the address of an etcd without the lock: $ETCD_ADDR, or an etcd of its own.
func EtcdServer(t testing.TB) string {
	t.Helper()
	address := os.Getenv("ETCD_ADDR")
	if address == "" {
		address = StartEtcd(t)
	}
	client := EtcdClient(t, address)
	if _, err := client.Delete(t.Context(), "/"+LockName, clientv3.WithPrefix()); err != nil {
		t.Fatal(err)
	}
	return address
}

// StartEtcd starts a server.
func StartEtcd(t testing.TB) (address string) {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		Missing(t, "etcd is not installed, and ETCD_ADDR names no etcd")
	}
	address = FreeAddress(t)
	peers := "http://" + FreeAddress(t)
	server := exec.Command("etcd", "--data-dir", t.TempDir(), "--listen-client-urls", "http://"+address, "--advertise-client-urls", "http://"+address,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	AwaitListener(t, address)
	return address
}

// EtcdClient is a client of the test's own.
func EtcdClient(t testing.TB, address string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// EtcdRecord is what etcd has under the lock's name: keys with their revisions, empty if none.
func EtcdRecord(t testing.TB, address string) string {
	t.Helper()
	answer, err := EtcdClient(t, address).Get(context.Background(), "/"+LockName, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, kv := range answer.Kvs {
		list = append(list, fmt.Sprintf("%s of revision %d", kv.Key, kv.CreateRevision))
	}
	return strings.Join(list, ", ")
}

// PassEtcd carries requests and answers over HTTP/2. A word is the method of a request, such as Txn.
func PassEtcd(n *Network, client, server net.Conn) {
	defer Cut(client, server)
	var rules sync.Map // by the numbers of streams
	go func() {
		defer Cut(client, server)
		var sent bytes.Buffer
		r := io.TeeReader(client, &sent)
		if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		frames := http2.NewFramer(nil, r)
		frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		for {
			frame, err := frames.ReadFrame()
			if err != nil {
				return
			}
			if headers, ok := frame.(*http2.MetaHeadersFrame); ok {
				path := headers.PseudoValue("path")
				held := n.of(func(word string) bool { return strings.HasSuffix(path, "/"+word) })
				held.sent()
				if held != nil {
					rules.Store(headers.StreamID, held)
				}
			}
			if _, err := sent.WriteTo(server); err != nil {
				return
			}
		}
	}()
	var got bytes.Buffer
	frames := http2.NewFramer(nil, io.TeeReader(server, &got))
	for {
		frame, err := frames.ReadFrame()
		if err != nil {
			return
		}
		if held, ok := rules.LoadAndDelete(frame.Header().StreamID); ok && held.(*Rule).answered() {
			return
		}
		if _, err := got.WriteTo(client); err != nil {
			return
		}
	}
}

// EtcdConnect makes the client of a process.
func EtcdConnect(c *Client) *clientv3.Client {
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Addresses(), Logger: zap.NewNop()})
	if err != nil {
		panic(err) // there are no addresses
	}
	c.Cleanup(func() { _ = client.Close() })
	return client
}
