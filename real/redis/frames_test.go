package redis

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// TestFrames: a stream falls into its answers, however it comes.
func TestFrames(t *testing.T) {
	frames := []string{
		"+OK\r\n", "-NOSCRIPT No matching script.\r\n", ":1\r\n", "$-1\r\n", "$0\r\n\r\n", "$3\r\na\r\n\r\n", "*0\r\n", "*-1\r\n",
		"*2\r\n$3\r\nGET\r\n$4\r\nlock\r\n", "*2\r\n*1\r\n:1\r\n$1\r\nx\r\n", "%1\r\n+a\r\n:1\r\n", ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", "_\r\n", "#t\r\n",
	}
	stream := []byte(strings.Join(frames, ""))
	for _, piece := range []int{1, 7, len(stream)} {
		c := Store.Converse()
		var got []string
		for part := range slices.Chunk(stream, piece) {
			list, err := c.Server(part)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				got = append(got, string(m.Bytes))
			}
		}
		if !slices.Equal(got, frames) {
			t.Errorf("in pieces of %d: %q", piece, got)
		}
	}
}

// asks is a request.
func asks(text string) []byte {
	var b bytes.Buffer
	list := strings.Fields(text)
	b.WriteString("*" + strconv.Itoa(len(list)) + "\r\n")
	for _, w := range list {
		b.WriteString("$" + strconv.Itoa(len(w)) + "\r\n" + w + "\r\n")
	}
	return b.Bytes()
}

// TestSignature: tokens and scripts make no difference.
func TestSignature(t *testing.T) {
	for request, want := range map[string]string{
		"SET lock 7 NX PX 100":      "SET lock",
		"set lock 8 nx px 100":      "SET lock",
		"EVAL return~1 1 lock 7":    "script lock",
		"EVALSHA 0123 1 lock 8":     "script lock",
		"EVAL return~1 0":           "script",
		"HELLO 2":                   "",
		"CLIENT SETINFO LIB-NAME":   "",
		"SUBSCRIBE lock:free":       "",
		"WAIT 1 100":                "WAIT 1",
		"PUBLISH lock:free message": "PUBLISH lock:free",
	} {
		list, err := Store.Converse().Client(asks(request))
		if err != nil || len(list) != 1 || list[0].Signature != want || list[0].Number != 1 {
			t.Errorf("%s: %+v, %v, want %q", request, list, err, want)
		}
	}
}

// TestConversation: answers have the numbers of their requests, and messages of channels have none.
func TestConversation(t *testing.T) {
	c := Store.Converse()
	for _, step := range []struct{ client, server, want string }{
		{"LRANGE list 0 1", "*2\r\n$7\r\nmessage\r\n$1\r\nc\r\n", "1 "},
		{"SUBSCRIBE a b", "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n", "2 ,0 "},
		{"PING", "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n", "0 message a,3 "},
		{"GET x", ">2\r\n$10\r\ninvalidate\r\n$1\r\nx\r\n$-1\r\n", "0 invalidate,4 "},
	} {
		if _, err := c.Client(asks(step.client)); err != nil {
			t.Fatal(err)
		}
		list, err := c.Server([]byte(step.server))
		var got []string
		for _, m := range list {
			got = append(got, fmt.Sprintf("%d %s", m.Number, m.Signature))
		}
		if strings.Join(got, ",") != step.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", step.client, got, err, step.want)
		}
	}
}

// FuzzConversation: whatever comes, reading ends, and takes nothing that is not there.
func FuzzConversation(f *testing.F) {
	for _, seed := range []string{"*1\r\n$4\r\nPING\r\n", "$-1\r\n", "*999999999\r\n", "$999999999\r\n", "%1\r\n", "\r\n", "*1\r\n*1\r\n*1\r\n"} {
		f.Add([]byte(seed), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, client, server []byte) {
		c := Store.Converse()
		for _, end := range []struct {
			read func([]byte) ([]confirm.Message, error)
			sent []byte
		}{{c.Client, client}, {c.Server, server}} {
			list, _ := end.read(end.sent)
			var all []byte
			for _, m := range list {
				all = append(all, m.Bytes...)
			}
			if !bytes.HasPrefix(end.sent, all) {
				t.Errorf("%q of %q", all, end.sent)
			}
		}
	})
}
