package simhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

const address = "10.0.2.1:80"

func init() { payload.Register("simhttp test", simhttp.Words{}.Open) }

// site is a server that does what the path of a request says.
type site struct {
	world *sim.World
	actor *sim.Actor
	seen  []string // what requests have done, and which clients have gone
	ids   []int    // of the connections of the exchanges
	conn  *simhttp.Conn
}

func (s *site) serve(x *simhttp.Exchange) {
	s.ids = append(s.ids, x.By().Conn)
	x.Gone = func() { s.seen = append(s.seen, "gone from "+x.Request.URL.Path) }
	switch path := x.Request.URL.Path; path {
	case "/later":
		s.after(2*time.Second, func() { x.Respond(http.StatusOK, nil, []byte("late")) })
	case "/stream":
		x.Stream(http.StatusOK, http.Header{"Content-Type": {"text/plain"}})
		for i := range 3 {
			s.after(time.Duration(i+1)*time.Second, func() { x.Write(fmt.Appendln(nil, "piece", i)) })
		}
		s.after(4*time.Second, x.End)
	case "/hangup":
		x.Hangup()
	case "/conflict":
		x.Respond(http.StatusConflict, http.Header{"X-B": {"2"}, "X-A": {"1"}}, []byte("no"))
	case "/gone":
		x.Respond(http.StatusNoContent, nil, []byte("nobody reads this"))
	default:
		body, _ := io.ReadAll(x.Request.Body)
		if !bytes.Equal(body, x.Body) {
			s.seen = append(s.seen, "other bodies")
		}
		s.seen = append(s.seen, fmt.Sprintf("%s %s %d", x.Request.Method, path, len(body)))
		x.Respond(http.StatusOK, nil, fmt.Appendf(nil, "%s %s", x.Request.Method, body[:min(len(body), 8)]))
	}
}

func (s *site) after(d time.Duration, f func()) {
	s.world.At(s.actor, s.world.Now()+d, sim.EventWork, sim.EventOptions{}, f)
}

// visit makes a run with one client.
func visit(t *testing.T, client func(p *sim.Process, c *http.Client, s *site)) (*site, sim.Report) {
	t.Helper()
	var s *site
	r := sim.Run(sim.Config{Record: true, Horizon: time.Hour}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond})
		s = &site{world: w, actor: w.NewActor("server")}
		w.Network().Listen(address, s.actor, func(c *sim.ServerConn) sim.Handler {
			s.conn = simhttp.Serve(c, nil, s.serve)
			return s.conn
		})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return p.DialContext(ctx, network, addr, 0)
		}, ExpectContinueTimeout: time.Second}
		w.OnEnd(transport.CloseIdleConnections)
		p.Go(func() { client(p, &http.Client{Transport: transport}, s) })
	})
	if r.Failure != nil || r.Cut != "" {
		t.Fatalf("%+v %s", r.Failure, r.Cut)
	}
	return s, r
}

// ask makes a request, and says what came of it.
func ask(c *http.Client, method, path string, body io.Reader, fields ...string) string {
	r, err := http.NewRequest(method, "http://"+address+path, body)
	if err != nil {
		return err.Error()
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Set(name, value)
	}
	return answer(c.Do(r))
}

func answer(a *http.Response, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		return "no body: " + err.Error()
	}
	return strings.TrimSpace(fmt.Sprint(a.StatusCode, " ", string(body)))
}

// TestRequests: unmodified clients get the answers, and requests arrive whole.
func TestRequests(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	hidden := struct{ io.Reader }{strings.NewReader(long)} // so that its length is not known: chunked
	s, _ := visit(t, func(_ *sim.Process, c *http.Client, s *site) {
		for _, test := range []struct {
			method, path string
			body         io.Reader
			fields       []string
			want         string
		}{
			{"GET", "/a", nil, nil, "200 GET"},
			{"PUT", "/short", strings.NewReader("short"), nil, "200 PUT short"},
			{"PUT", "/long", strings.NewReader(long), nil, "200 PUT xxxxxxxx"},
			{"POST", "/chunked", hidden, nil, "200 POST xxxxxxxx"},
			{"PUT", "/expect", strings.NewReader(long), []string{"Expect: 100-continue"}, "200 PUT xxxxxxxx"},
			{"HEAD", "/head", nil, nil, "200"},
			{"DELETE", "/gone", nil, nil, "204"},
			{"GET", "/conflict", nil, nil, "409 no"},
			{"GET", "/later", nil, nil, "200 late"},
			{"GET", "/stream", nil, nil, "200 piece 0\npiece 1\npiece 2"},
			{"GET", "/after", nil, nil, "200 GET"},
		} {
			if got := ask(c, test.method, test.path, test.body, test.fields...); got != test.want {
				t.Errorf("%s %s: %q, want %q", test.method, test.path, got, test.want)
			}
		}
	})
	want := []string{"GET /a 0", "PUT /short 5", "PUT /long 100000", "POST /chunked 100000", "PUT /expect 100000", "HEAD /head 0", "GET /after 0"}
	if !slices.Equal(s.seen, want) {
		t.Errorf("executed: %q, want %q", s.seen, want)
	}
	if slices.Max(s.ids) != 1 {
		t.Errorf("connections %v: they are not kept", s.ids)
	}
}

// TestClosing: a client that asks for it gets no second answer on a connection, and one whose
// connection ends without an answer gets an error.
func TestClosing(t *testing.T) {
	s, _ := visit(t, func(_ *sim.Process, c *http.Client, _ *site) {
		for range 2 {
			if got := ask(c, "GET", "/a", nil, "Connection: close"); got != "200 GET" {
				t.Error(got)
			}
		}
		if got := ask(c, "POST", "/hangup", nil); !strings.HasSuffix(got, "EOF") {
			t.Error(got)
		}
	})
	if want := []int{1, 2, 3}; !slices.Equal(s.ids, want) {
		t.Errorf("connections %v, want %v", s.ids, want)
	}
}

// TestCancelled: the server learns that a client has given up, and the client goes on with
// another connection.
func TestCancelled(t *testing.T) {
	for _, path := range []string{"/later", "/stream"} {
		s, _ := visit(t, func(p *sim.Process, c *http.Client, _ *site) {
			ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Millisecond)
			defer cancel()
			r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+address+path, nil)
			if got := answer(c.Do(r)); !strings.Contains(got, context.DeadlineExceeded.Error()) {
				t.Errorf("%s: %s", path, got)
			}
			p.Clock().Sleep(5 * time.Second)
			if got := ask(c, "GET", "/b", nil); got != "200 GET" {
				t.Error(got)
			}
		})
		if want := []string{"gone from " + path, "GET /b 0"}; !slices.Equal(s.seen, want) || !slices.Equal(s.ids, []int{1, 2}) {
			t.Errorf("%q on %v, want %q", s.seen, s.ids, want)
		}
	}
}

// raw writes bytes, after each of which some time passes, and returns all that the server sends.
func raw(t *testing.T, parts ...string) (got string, s *site) {
	t.Helper()
	s, _ = visit(t, func(p *sim.Process, _ *http.Client, _ *site) {
		conn, err := p.DialContext(context.Background(), "tcp", address, 0)
		if err != nil {
			t.Error(err)
			return
		}
		for _, part := range parts {
			_, _ = conn.Write([]byte(part))
			p.Clock().Sleep(10 * time.Millisecond)
		}
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		all, _ := io.ReadAll(conn)
		got = string(all)
		_ = conn.Close()
	})
	return got, s
}

// TestPipelined: requests that come together, or in parts, are answered in their order.
func TestPipelined(t *testing.T) {
	const one, put = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n", "PUT /two HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
	all := one + put + put
	for cut := 1; cut <= len(all); cut++ {
		got, _ := raw(t, all[:cut], all[cut:])
		want := "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate" + strings.Repeat("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPUT ab", 2)
		if got != want {
			t.Errorf("cut at %d: %q, want %q", cut, got, want)
		}
	}
}

// TestRefused: what is no request is answered, and the connection ends.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ sent, want string }{
		{"hello\r\n", "400 Bad Request"},
		{"\x16\x03\x01\x00\x05hello\n\n", "400 Bad Request"},
		{"GET / HTTP/1.1\r\n\r\n", "400 Bad Request: missing required Host header"},
		{"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "400 Bad Request"},
		{"PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400 Bad Request"},
		{"PUT / HTTP/1.1\r\nHost: a\r\nExpect: luck\r\n\r\n", "417 Expectation Failed"},
		{"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n", "413 Request Entity Too Large"},
		{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 HTTP Version Not Supported: unsupported protocol version"},
		{"GET / HTTP/1.1\r\nA: " + strings.Repeat("x", 1<<20), "431 Request Header Fields Too Large"},
	} {
		got, s := raw(t, test.sent)
		a, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), nil)
		if text := answer(a, err); err != nil || text != test.want[:4]+test.want || !a.Close {
			t.Errorf("%.40q: %s, want %s", test.sent, got, test.want)
		}
		if len(s.ids) > 0 {
			t.Errorf("%.40q: it is handled", test.sent)
		}
	}
}

// TestOld: clients of HTTP/1.0 get one answer a connection, and nothing chunked.
func TestOld(t *testing.T) {
	if got, _ := raw(t, "GET /stream HTTP/1.0\r\n\r\n"); !strings.HasSuffix(got, "\r\n\r\npiece 0\npiece 1\npiece 2\n") || strings.Contains(got, "chunked") {
		t.Errorf("%q", got)
	}
}

// TestWords: a report names requests and answers.
func TestWords(t *testing.T) {
	_, r := visit(t, func(_ *sim.Process, c *http.Client, _ *site) {
		ask(c, "PUT", "/a", strings.NewReader("value"), "Expect: 100-continue")
		ask(c, "HEAD", "/a", nil)
		ask(c, "GET", "/conflict", nil)
		ask(c, "GET", "/stream?watch=1", nil)
	})
	var got []string
	segments := payload.NewSegments(r.Events)
	for _, e := range r.Events {
		if len(e.Payload) > 0 {
			got = append(got, segments.Of("simhttp test", &e).Text)
		}
	}
	want := []string{
		"(a part)", "100 Continue", "PUT /a", "200 OK", "HEAD /a", "200 OK", "GET /conflict", "409 Conflict",
		"GET /stream?watch=1", "200 OK", "piece 0", "piece 1", "piece 2", "(the end)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestOwes: a client waits as long as a request is not answered, and not for the pieces of a stream.
func TestOwes(t *testing.T) {
	visit(t, func(p *sim.Process, c *http.Client, s *site) {
		owes := func(when string, want bool) {
			if got := s.conn.Owes(); got != want {
				t.Errorf("%s: owes %v", when, got)
			}
		}
		done := make(chan bool)
		get := func(path string) {
			go func() {
				ask(c, "GET", path, nil)
				close(done)
			}()
			p.Clock().Sleep(time.Second)
		}
		get("/later")
		owes("before the answer", true)
		<-done
		owes("after the answer", false)
		done = make(chan bool)
		get("/stream")
		owes("in a stream", false)
		<-done
	})
}

// TestHang: what comes while the server hangs is handled afterwards, though its client has gone.
func TestHang(t *testing.T) {
	var held []func()
	hangs := true
	executed := 0
	r := sim.Run(sim.Config{}, func(w *sim.World) {
		server := w.NewActor("server")
		w.Network().Listen(address, server, func(c *sim.ServerConn) sim.Handler {
			do := func(f func()) {
				if hangs {
					held = append(held, f)
					return
				}
				f()
			}
			return simhttp.Serve(c, do, func(x *simhttp.Exchange) {
				executed++
				x.Respond(http.StatusOK, nil, nil)
			})
		})
		w.At(server, 3*time.Second, sim.EventWork, sim.EventOptions{Vital: true}, func() {
			hangs = false
			for _, f := range held {
				f()
			}
		})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			conn, err := p.DialContext(context.Background(), "tcp", address, 0)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = conn.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
			p.Clock().Sleep(time.Second)
			_ = conn.Close()
		})
	})
	if r.Failure != nil || executed != 1 {
		t.Errorf("%v; executed %d times", r.Failure, executed)
	}
}

// TestRepeats: a run of several clients and threads repeats.
func TestRepeats(t *testing.T) {
	once := func() uint64 {
		r := sim.Run(sim.Config{Horizon: time.Hour}, func(w *sim.World) {
			s := &site{world: w, actor: w.NewActor("server")}
			w.Network().Listen(address, s.actor, func(c *sim.ServerConn) sim.Handler { return simhttp.Serve(c, nil, s.serve) })
			for i := range 3 {
				p := w.NewProcess("c"+strconv.Itoa(i+1), sim.ProcessOptions{Host: "10.0.0." + strconv.Itoa(i+1), Threads: true})
				transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
					return p.DialContext(ctx, network, addr, 0)
				}}
				w.OnEnd(transport.CloseIdleConnections)
				c := &http.Client{Transport: transport, Timeout: 3 * time.Second}
				for range 2 {
					p.Go(func() {
						for _, path := range []string{"/a", "/stream", "/later", "/hangup", "/b"} {
							ask(c, "PUT", path, strings.NewReader("x"))
						}
					})
				}
			}
		})
		if r.Failure != nil {
			t.Fatal(r.Failure)
		}
		return r.Hash
	}
	first := once()
	for range 20 {
		if again := once(); again != first {
			t.Fatal("runs differ")
		}
	}
}

// TestReset: an exchange whose connection breaks is over.
func TestReset(t *testing.T) {
	s, _ := visit(t, func(p *sim.Process, c *http.Client, s *site) {
		w := p.World()
		p.Mark(0, "reset soon", func(sim.Event) {
			s.after(time.Second, func() {
				for _, c := range w.Network().Conns(p.Actor) {
					c.Reset(nil)
				}
			})
		})
		r, err := http.NewRequest("POST", "http://"+address+"/later", strings.NewReader("x"))
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := c.Do(r); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the answer of a broken connection: %v", err)
		}
	})
	if !slices.Equal(s.seen, []string{"gone from /later"}) {
		t.Error(s.seen)
	}
}
