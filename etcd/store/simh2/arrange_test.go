package simh2

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// client is an arrangement behind the preface.
func client(unordered func(string) bool) *arrangement {
	a := newArrangement(new(numbers), unordered)
	a.arrange([]byte(preface))
	return a
}

// arranged is what frames become that a client writes in one step.
type arranged struct {
	name  string
	write func(p *peer)
	want  string
}

func arrange(t *testing.T, tests []arranged) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPeer()
			test.write(p)
			if got := frames(client(nil).arrange(p.take())); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestArrange: what each kind of frame becomes.
func TestArrange(t *testing.T) {
	const path = ":path"
	arrange(t, []arranged{
		{"connection", func(p *peer) {
			p.open(1, path, "/a")
			p.b = appendUint32Frame(p.b, kindWindowUpdate, 0, 5)
			p.b = appendFrame(p.b, kindGoAway, 0, 0, make([]byte, 8))
			p.b = appendFrame(p.b, kindPing, 0, 0, []byte("pingpong"))
			p.b = appendFrame(p.b, kindSettings, flagAck, 0, nil)
			p.b = appendUint32Frame(p.b, kindWindowUpdate, 0, 7)
			p.b = appendFrame(p.b, kindPing, flagAck, 0, []byte("pongping"))
			p.b = appendFrame(p.b, kindSettings, 0, 0, make([]byte, 6))
		}, `SETTINGS 0 "\x00\x00\x00\x00\x00\x00"
SETTINGS 0 flags 1 ""
PING 0 flags 1 "pongping"
PING 0 "pingpong"
GOAWAY 0 "\x00\x00\x00\x00\x00\x00\x00\x00"
WINDOW_UPDATE 0 "\x00\x00\x00\f"
HEADERS 1 flags 4 :path=/a`},
		{"metadata", func(p *peer) {
			p.open(1, path, "/a", "b", "2", ":method", "POST", "a", "1", "b", "1")
		}, `HEADERS 1 flags 4 :method=POST :path=/a a=1 b=2 b=1`},
		{"data in parts, padded", func(p *peer) {
			p.open(1, path, "/a")
			p.data(1, 0, "one ")
			p.data(1, flagPadded, "\x03two   ")
			p.data(1, flagEndStream, "")
		}, `HEADERS 1 flags 4 :path=/a
DATA 1 flags 1 "one two"`},
		{"CONTINUATION and priorities", func(p *peer) {
			block := p.fields(path, "/a", "b", "2")
			p.b = appendFrame(p.b, kindHeaders, flagPriority, 1, append(make([]byte, 5), block[:3]...))
			p.b = appendFrame(p.b, kindContinuation, 0, 1, block[3:5])
			p.b = appendFrame(p.b, kindContinuation, flagEndHeaders, 1, block[5:])
			p.b = appendFrame(p.b, kindPriority, 0, 1, make([]byte, 5))
		}, `HEADERS 1 flags 4 :path=/a b=2`},
	})
}

// TestArrangeStreams: what new streams become.
func TestArrangeStreams(t *testing.T) {
	const path = ":path"
	arrange(t, []arranged{
		{"new streams", func(p *peer) {
			p.open(1, path, "/b")
			p.open(3, path, "/a")
			p.open(5, path, "/a")
			p.data(3, 0, "2")
			p.data(1, flagEndStream, "3")
			p.data(5, 0, "1")
		}, `HEADERS 1 flags 4 :path=/a
DATA 1 "1"
HEADERS 3 flags 4 :path=/a
DATA 3 "2"
HEADERS 5 flags 4 :path=/b
DATA 5 flags 1 "3"`},
		{"a stream without data", func(p *peer) {
			p.b = appendHeaders(p.b, 1, flagEndStream, p.fields(path, "/a"))
		}, `HEADERS 1 flags 5 :path=/a`},
		{"reset as soon as opened", func(p *peer) {
			p.open(1, path, "/a")
			p.open(3, path, "/b")
			p.b = appendUint32Frame(p.b, kindRSTStream, 1, 8)
		}, `HEADERS 1 flags 4 :path=/b`},
	})
}

// TestArrangeKnownStreams: streams that are open come by number, before new ones.
func TestArrangeKnownStreams(t *testing.T) {
	a, p := client(func(method string) bool { return method == "/unordered" }), newPeer()
	p.open(1, ":path", "/z")
	p.open(3, ":path", "/unordered")
	a.arrange(p.take())
	p.open(5, ":path", "/a")
	p.data(3, 0, message("b"))
	p.data(1, 0, message("b"))
	p.data(1, 0, message("a"))
	p.data(3, 0, message("a"))
	p.b = appendUint32Frame(p.b, kindWindowUpdate, 1, 9)
	const want = `WINDOW_UPDATE 1 "\x00\x00\x00\t"
DATA 1 "\x00\x00\x00\x00\x01b\x00\x00\x00\x00\x01a"
DATA 3 "\x00\x00\x00\x00\x01a\x00\x00\x00\x00\x01b"
HEADERS 5 flags 4 :path=/a`
	if got := frames(a.arrange(p.take())); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.data(1, flagEndStream, message("never sent"))
	p.b = appendUint32Frame(p.b, kindRSTStream, 1, 8)
	if got := frames(a.arrange(p.take())); got != `RST_STREAM 1 "\x00\x00\x00\b"` {
		t.Errorf("got\n%s", got)
	}
}

// TestArrangeAnyOrder: in whatever order the goroutines of a client write, as long as each
// stream's frames stay in theirs, the bytes are the same.
func TestArrangeAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var first string
	for range 200 {
		a, p := client(nil), newPeer()
		calls := []string{"/a one", "/a two", "/b one", "/c one", "/d one"}
		rng.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		pairs := []string{"x", "1", "y", "2", "z", "3"}
		for i, call := range calls {
			path, data, _ := strings.Cut(call, " ")
			cut := 2 * rng.IntN(len(pairs)/2+1)
			p.open(uint32(2*i+1), append([]string{":path", path}, append(pairs[cut:len(pairs):len(pairs)], pairs[:cut]...)...)...)
			if rng.IntN(2) == 0 {
				p.b = appendFrame(p.b, kindPriority, 0, 1, make([]byte, 5))
			}
			half := rng.IntN(len(data))
			p.data(uint32(2*i+1), 0, data[:half])
			p.data(uint32(2*i+1), flagEndStream, data[half:])
		}
		got := string(a.arrange(p.take()))
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("got\n%s\nand before\n%s", frames([]byte(got)), frames([]byte(first)))
		}
	}
}

// TestArrangeParts: a frame that is not whole waits for the rest.
func TestArrangeParts(t *testing.T) {
	whole, p := newArrangement(new(numbers), nil), newPeer()
	p.open(1, ":path", "/a")
	p.data(1, 0, "one")
	b := append([]byte(preface), p.take()...)
	want := string(whole.arrange(b))
	for cut := range b {
		a := newArrangement(new(numbers), nil)
		got := string(a.arrange(b[:cut])) + string(a.arrange(b[cut:]))
		if got != want {
			t.Fatalf("cut at %d:\n%s\nwant\n%s", cut, frames([]byte(got)), frames([]byte(want)))
		}
	}
}

// TestArrangeRefuses: what a client must not send.
func TestArrangeRefuses(t *testing.T) {
	for want, write := range map[string]func(p *peer){
		"stream 7, which it has not opened": func(p *peer) { p.data(7, 0, "x") },
		"PUSH_PROMISE in a stream": func(p *peer) {
			p.open(1, ":path", "/a")
			p.b = appendFrame(p.b, kindPushPromise, 0, 1, nil)
		},
		"HEADERS twice": func(p *peer) {
			p.open(1, ":path", "/a")
			p.open(1, ":path", "/a")
		},
		"DATA, not in a stream":      func(p *peer) { p.data(0, 0, "x") },
		"in the middle of something": func(p *peer) { p.b = appendFrame(p.b, kindContinuation, 0, 1, nil) },
		"shorter than its padding": func(p *peer) {
			p.open(1, ":path", "/a")
			p.data(1, flagPadded, "\x09x")
		},
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("it says %v, want %s", err, want)
				}
			}()
			p := newPeer()
			write(p)
			client(nil).arrange(p.take())
		}()
	}
}
