package simhttp

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// FuzzReadRequest: whatever comes, in whatever parts, a request is read as package net/http reads it
// from all of it, and nothing panics.
func FuzzReadRequest(f *testing.F) {
	for _, seed := range []string{
		"", "G", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
		"PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\nabc\r\n0\r\nT: 1\r\n\r\nGET",
		"GET / HTTP/1.1\nHost: a\n\n", "PRI * HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nA:\r\n b\r\n\r\n",
		"PUT / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n0\r\n\r\n",
	} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		r, body, n, err := readRequest(in)
		if n < 0 || n > len(in) || n > 0 && (r == nil || err != nil) {
			t.Fatalf("%d of %d bytes, %v, %v", n, len(in), r, err)
		}
		if n == 0 {
			return
		}
		all := bufio.NewReader(bytes.NewReader(in))
		whole, err := http.ReadRequest(all)
		if err != nil {
			t.Fatalf("net/http reads no request: %v", err)
		}
		if want, err := io.ReadAll(whole.Body); err != nil || !bytes.Equal(body, want) || all.Buffered()+n != min(len(in), all.Size()) && len(in) <= all.Size() {
			t.Fatalf("body %q, %v, want %q", body, err, want)
		}
		if cut = min(max(cut, 0), n-1); cut > 0 {
			if _, _, m, err := readRequest(in[:cut]); m != 0 && m > cut || err != nil {
				t.Fatalf("of a part: %d bytes, %v", m, err)
			}
		}
	})
}

// FuzzWords: a reader of reports takes any bytes of either end.
func FuzzWords(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"))
	f.Add([]byte("x"), []byte("HTTP/1.1 200 OK\r\n\r\nabc"))
	f.Add([]byte("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"), []byte("HTTP/1.1 204 x\r\nContent-Length: 9\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"))
	f.Fuzz(func(t *testing.T, up, down []byte) {
		read := Words{}.Open()
		for i := range max(len(up), len(down)) {
			for peer, all := range map[string][]byte{"client": up, "server": down} { // unordered: any order is a test
				if i < len(all) && read(&sim.Event{Peer: peer, Payload: all[i : i+1]}).Text == "" {
					t.Fatal("a segment without a text")
				}
			}
		}
	})
}
