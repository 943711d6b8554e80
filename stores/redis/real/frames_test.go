package real

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// TestFrame: a stream falls into its requests and answers.
func TestFrame(t *testing.T) {
	frames := []string{
		"+OK\r\n", "-NOSCRIPT No matching script.\r\n", ":1\r\n", "$-1\r\n", "$0\r\n\r\n", "$3\r\na\r\n\r\n", "*0\r\n", "*-1\r\n",
		"*2\r\n$3\r\nGET\r\n$4\r\nlock\r\n", "*2\r\n*1\r\n:1\r\n$1\r\nx\r\n", "%1\r\n+a\r\n:1\r\n", ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", "_\r\n", "#t\r\n",
	}
	r := bufio.NewReader(strings.NewReader(strings.Join(frames, "")))
	for _, want := range frames {
		if got, err := Store.Frame(r); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if _, err := Store.Frame(r); err == nil {
		t.Error("there is one more")
	}
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
		"WAIT 1 100":                "WAIT 1",
		"PUBLISH lock:free message": "PUBLISH lock:free",
	} {
		var b bytes.Buffer
		list := strings.Fields(request)
		b.WriteString("*" + strconv.Itoa(len(list)) + "\r\n")
		for _, w := range list {
			b.WriteString("$" + strconv.Itoa(len(w)) + "\r\n" + w + "\r\n")
		}
		if got := Store.Signature(b.Bytes()); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

// FuzzFrame: whatever comes, reading ends, and takes nothing that is not there.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{"*1\r\n$4\r\nPING\r\n", "$-1\r\n", "*999999999\r\n", "$999999999\r\n", "%1\r\n", "\r\n", "*1\r\n*1\r\n*1\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		frame, err := Store.Frame(bufio.NewReader(bytes.NewReader(stream)))
		if err == nil && !bytes.HasPrefix(stream, frame) {
			t.Errorf("%q of %q", frame, stream)
		}
		_ = Store.Signature(stream)
	})
}
