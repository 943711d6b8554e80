package simh2_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/lockpick-dev/lockpick/etcd/store/simh2"
	"github.com/lockpick-dev/lockpick/sim"
)

const address = "10.0.1.1:7"

// calls is a server that notes what comes, and answers each message with the words in it:
// "say x" sends x, "end code text" ends the call, "away" sends a GOAWAY.
type calls struct {
	conn *simh2.Conn
	seen []string
}

func (c *calls) note(format string, args ...any) {
	c.seen = append(c.seen, fmt.Sprintf(format, args...))
}

func (c *calls) Open(_ *simh2.Stream, method string, metadata map[string]string, _ *sim.Task) {
	c.note("open %s k=%s", method, metadata["k"])
}

func (c *calls) Message(s *simh2.Stream, message []byte, t *sim.Task) {
	c.note("%.20s", message)
	for command := range strings.SplitSeq(string(message), ";") {
		word, rest, _ := strings.Cut(command, " ")
		switch word {
		case "say":
			s.Send([]byte(rest), t)
		case "much":
			s.Send(make([]byte, 100_000), t)
		case "end":
			var code int
			var text string
			_, _ = fmt.Sscanf(rest, "%d %s", &code, &text) // the text may be missing
			s.End(code, text, t)
		case "away":
			c.conn.GoAway("soon")
		}
	}
}

func (c *calls) HalfClose(*simh2.Stream, *sim.Task) { c.note("half-close") }
func (c *calls) Reset(*simh2.Stream)                { c.note("reset") }

// speaker is a client that writes frames by hand.
type speaker struct {
	net.Conn
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
	process *sim.Process
}

// talk lets a client talk to a server, and returns what the server saw.
func talk(t *testing.T, story func(s *speaker)) []string {
	t.Helper()
	server := &calls{}
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		w.AnswerUnsupported()
		w.Network().Listen(address, w.NewActor("server"), func(c *sim.ServerConn) sim.Handler {
			server.conn = simh2.Serve(c, server)
			return server.conn
		})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			conn, err := p.DialContext(context.Background(), "tcp", address, time.Second)
			must(err)
			s := &speaker{Conn: simh2.Client(conn.(*sim.Conn), simh2.ClientOptions{}), process: p}
			s.framer, s.encoder = http2.NewFramer(s.Conn, s.Conn), hpack.NewEncoder(&s.block)
			s.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
			_, err = io.WriteString(s.Conn, http2.ClientPreface)
			must(err)
			story(s)
			must(s.Close())
		})
	})
	if report.Failure != nil {
		t.Fatalf("%s\n%s", report.Failure.Reason, report.Failure.Stack)
	}
	return server.seen
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// open opens a stream.
func (s *speaker) open(stream uint32, ends bool) {
	s.block.Reset()
	for _, f := range []hpack.HeaderField{{Name: ":path", Value: "/m"}, {Name: "k", Value: "v"}, {Name: "k", Value: "w"}} {
		must(s.encoder.WriteField(f))
	}
	must(s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: s.block.Bytes(), EndHeaders: true, EndStream: ends}))
}

// say sends a message.
func (s *speaker) say(stream uint32, ends bool, text string) {
	b := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(text)))
	must(s.framer.WriteData(stream, ends, append(b, text...)))
}

// hear reads frames for a while, in words.
func (s *speaker) hear() string {
	must(s.SetReadDeadline(time.Now().Add(10 * time.Millisecond)))
	var words []string
	for {
		f, err := s.framer.ReadFrame()
		if err != nil {
			return strings.Join(words, ", ")
		}
		h := f.Header()
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			word := fmt.Sprint("fields ", h.StreamID)
			for _, field := range f.Fields {
				word += " " + field.Value
			}
			words = append(words, word)
		case *http2.DataFrame:
			words = append(words, fmt.Sprintf("data %d of %d: %.20q", h.StreamID, len(f.Data()), f.Data()[:min(len(f.Data()), 10)]))
		case *http2.GoAwayFrame:
			words = append(words, fmt.Sprintf("away after %d: %v %s", f.LastStreamID, f.ErrCode, f.DebugData()))
		case *http2.RSTStreamFrame:
			words = append(words, fmt.Sprintf("reset %d: %v", h.StreamID, f.ErrCode))
		case *http2.WindowUpdateFrame, *http2.SettingsFrame:
		default:
			words = append(words, fmt.Sprint(h.Type, " ", h.StreamID))
		}
	}
}

// story is a short story between a client and the server: what each of them heard.
type story struct {
	name        string
	tell        func(s *speaker) string
	heard, seen string
}

func tell(t *testing.T, stories []story) {
	for _, test := range stories {
		t.Run(test.name, func(t *testing.T) {
			var heard string
			seen := strings.Join(talk(t, func(s *speaker) { heard = test.tell(s) }), "|")
			if heard != test.heard {
				t.Errorf("the client heard\n%s\nwant\n%s", heard, test.heard)
			}
			if seen != test.seen {
				t.Errorf("the server saw\n%s\nwant\n%s", seen, test.seen)
			}
		})
	}
}

// TestServe: what a server makes of calls.
func TestServe(t *testing.T) {
	tell(t, []story{
		{"a call", func(s *speaker) string {
			s.open(1, false)
			s.say(1, true, "say hello;end 0")
			return s.hear()
		}, `fields 1 200 application/grpc, data 1 of 10: "\x00\x00\x00\x00\x05hello", fields 1 0 `, "open /m k=v,w|say hello;end 0"},
		{"an error at once", func(s *speaker) string {
			s.open(1, false)
			s.say(1, true, "end 5 a%b\u00e9")
			return s.hear()
		}, `fields 1 200 application/grpc 5 a%25b%C3%A9`, "open /m k=v,w|end 5 a%b\u00e9"},
		{"several messages in parts", func(s *speaker) string {
			s.open(1, false)
			must(s.framer.WriteData(1, false, []byte{0, 0, 0}))
			s.process.Step("the rest", time.Millisecond)
			must(s.framer.WriteData(1, false, append([]byte{0, 1, 'x'}, 0, 0, 0, 0, 1, 'y', 0)))
			return s.hear()
		}, ``, "open /m k=v,w|x|y|reset"},
		{"compressed", func(s *speaker) string {
			s.open(1, false)
			must(s.framer.WriteData(1, true, []byte{1, 0, 0, 0, 0}))
			return s.hear()
		}, `fields 1 200 application/grpc 12 grpc: compressed messages are not supported`, "open /m k=v,w"},
		{"a ping", func(s *speaker) string {
			must(s.framer.WritePing(false, [8]byte{1}))
			return s.hear()
		}, `PING 0`, ""},
	})
}

// TestEnds: either end ends a stream, or the connection.
func TestEnds(t *testing.T) {
	tell(t, []story{
		{"the server ends a stream that the client has not", func(s *speaker) string {
			s.open(1, false)
			s.say(1, false, "end 0")
			return s.hear()
		}, `fields 1 200 application/grpc 0 , reset 1: NO_ERROR`, "open /m k=v,w|end 0"},
		{"a client that gives up", func(s *speaker) string {
			s.open(1, false)
			s.process.Step("the next", time.Millisecond)
			must(s.framer.WriteRSTStream(1, http2.ErrCodeCancel))
			s.process.Step("the next", time.Millisecond)
			s.say(1, false, "say nothing")
			return s.hear()
		}, ``, "open /m k=v,w|reset"},
		{"half-closed", func(s *speaker) string {
			s.open(1, true)
			return s.hear()
		}, ``, "open /m k=v,w|half-close|reset"},
		{"going away", func(s *speaker) string {
			s.open(1, false)
			s.say(1, false, "away")
			s.process.Step("the next", time.Millisecond)
			s.open(3, false)
			s.say(3, false, "say nothing")
			s.say(1, true, "end 0")
			return s.hear()
		}, `away after 1: NO_ERROR soon, fields 1 200 application/grpc 0 `, "open /m k=v,w|away|end 0"},
		{"data after the client's end", func(s *speaker) string {
			s.open(1, false)
			s.say(1, true, "say a")
			s.process.Step("the next", time.Millisecond)
			s.say(1, false, "say b")
			s.process.Step("the next", time.Millisecond)
			s.say(1, true, "say c")
			return s.hear()
		}, `fields 1 200 application/grpc, data 1 of 6: "\x00\x00\x00\x00\x01a", reset 1: STREAM_CLOSED`, "open /m k=v,w|say a|half-close|reset"},
	})
}

// TestWindows: a server keeps to the windows that the client grants.
func TestWindows(t *testing.T) {
	tell(t, []story{
		{"windows", func(s *speaker) string {
			must(s.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10}))
			s.open(1, false)
			s.say(1, true, "say 1234567890;end 0")
			heard := s.hear()
			must(s.framer.WriteWindowUpdate(1, 3))
			heard += "; " + s.hear()
			must(s.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 100}))
			return heard + "; " + s.hear()
		}, `fields 1 200 application/grpc, data 1 of 10: "\x00\x00\x00\x00\n12345"; data 1 of 3: "678"; data 1 of 2: "90", fields 1 0 `, "open /m k=v,w|say 1234567890;end 0"},
		{"given up after its end, which waits for the window", func(s *speaker) string {
			must(s.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10}))
			s.open(1, true)
			s.open(3, false)
			s.say(3, false, "say 1234567890;end 0")
			s.open(5, false)
			s.say(5, false, "say 1234567890;end 0")
			s.process.Step("the next", time.Millisecond)
			must(s.framer.WriteRSTStream(3, http2.ErrCodeCancel))
			return "" // and closes the connection
		}, ``, "open /m k=v,w|half-close|open /m k=v,w|say 1234567890;end 0|open /m k=v,w|say 1234567890;end 0|reset"},
		{"the window of the connection", func(s *speaker) string {
			must(s.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 20}))
			s.open(1, false)
			s.say(1, true, "much;end 0")
			n := strings.Count(s.hear(), "data 1 of 16384")
			must(s.framer.WriteWindowUpdate(0, 1<<20))
			return fmt.Sprint(n, "; ", strings.Count(s.hear(), "data 1 of 16384"))
		}, `3; 2`, "open /m k=v,w|much;end 0"},
	})
}
