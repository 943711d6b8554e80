package sim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// refuser is a server that supports nothing but "ok".
type refuser struct{ sock *sim.ServerConn }

func (r *refuser) Receive(data []byte, t *sim.Task) {
	if string(data) != "ok" {
		r.sock.Refuse(t, "the server does not support "+string(data))
	}
	r.sock.Send(0, []byte("!"), t)
}

func (*refuser) Gone() {}

// refusing runs a process that asks a refuser for something.
func refusing(record, tolerant bool, client func(p *sim.Process, ask func(string))) sim.Report {
	return sim.Run(sim.Config{Record: record}, func(w *sim.World) {
		if tolerant {
			w.AnswerUnsupported()
		}
		w.Network().Listen("10.0.0.9:1", w.NewActor("server"), func(s *sim.ServerConn) sim.Handler { return &refuser{s} })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			conn, err := p.DialContext(context.Background(), "tcp", "10.0.0.9:1", time.Second)
			if err != nil {
				panic(err)
			}
			client(p, func(what string) {
				_, _ = conn.Write([]byte(what))
				_, _ = conn.Read(make([]byte, 1))
			})
		})
	})
}

// TestRefuse: a request that a server does not support fails the run, whatever the client makes of it. A recorded run says where it was made.
func TestRefuse(t *testing.T) {
	asks := func(p *sim.Process, ask func(string)) {
		ask("ok")
		p.SetTask(&sim.Task{ID: 1, Name: "acquire"})
		ask("more")
		ask("most") // only the first counts
	}
	for _, record := range []bool{false, true} {
		f := refusing(record, false, asks).Failure
		if f == nil || !f.Refused || !strings.HasPrefix(f.Reason, "the server does not support more: sent by c1 to server, in acquire") {
			t.Fatalf("recorded %v: %+v", record, f)
		}
		if located := strings.Contains(f.Reason, ", at sim/refuse_test.go:"); located != record || strings.Contains(f.Stack, "sim_test.TestRefuse.func1") != record {
			t.Errorf("recorded %v: %s\n%s", record, f.Reason, f.Stack)
		}
	}
	if one, other := refusing(true, false, asks), refusing(false, false, asks); one.Hash != other.Hash {
		t.Error("a recorded run is another one")
	}
}

// TestRefuseInBackground: if a goroutine of a client library has written for another, the other one's line counts.
func TestRefuseInBackground(t *testing.T) {
	f := refusing(true, false, func(p *sim.Process, ask func(string)) {
		p.SetTask(&sim.Task{ID: 1, Name: "acquire"})
		done := make(chan bool)
		go func() {
			ask("more")
			close(done)
		}()
		<-done
	}).Failure
	if f == nil || !strings.Contains(f.Reason, ", at sim/refuse_test.go:") {
		t.Errorf("got %+v", f)
	}
}

// TestNotRefused: what is supported fails nothing, nor does a run that asks for answers.
func TestNotRefused(t *testing.T) {
	if f := refusing(true, false, func(_ *sim.Process, ask func(string)) { ask("ok") }).Failure; f != nil {
		t.Error(f)
	}
	if f := refusing(true, true, func(_ *sim.Process, ask func(string)) { ask("more") }).Failure; f != nil {
		t.Error(f)
	}
}

// TestRemarks: a recorded run knows which line of code has sent each request and made each call, whoever has written it; another knows
// nothing of it, and is the same run.
func TestRemarks(t *testing.T) {
	run := func(record bool) sim.Report {
		return refusing(record, true, func(p *sim.Process, ask func(string)) {
			task := &sim.Task{ID: 1, Name: "acquire"}
			p.SetTask(task)
			p.Mark(0, "acquire", func(e sim.Event) { p.World().Begun(task, e) })
			ask("ok")
			done := make(chan bool)
			go func() {
				ask("more")
				close(done)
			}()
			<-done
		})
	}
	r := run(true)
	got := map[int64]string{}
	for _, m := range r.Remarks {
		got[m.Seq] = m.Code
	}
	requests := 0
	for _, e := range r.Events {
		request := e.Kind == sim.EventDeliver && e.Actor == "server"
		if call := e.Kind == sim.EventMark; call || request {
			requests++
			if !strings.HasPrefix(got[e.Seq], "sim/refuse_test.go:") {
				t.Errorf("event %d, %s: by %q", e.Seq, e.Kind, got[e.Seq])
			}
		} else if got[e.Seq] != "" {
			t.Errorf("event %d, %s, is nobody's, and not by %q", e.Seq, e.Kind, got[e.Seq])
		}
	}
	if requests != 3 || len(r.Remarks) != 3 {
		t.Errorf("%d requests and calls, and the remarks %v", requests, r.Remarks)
	}
	if other := run(false); other.Hash != r.Hash || other.Remarks != nil {
		t.Errorf("a run that is not recorded has the hash %x, not %x, and the remarks %v", other.Hash, r.Hash, other.Remarks)
	}
}

// TestPrinted: what code of a recorded run prints is remarked behind the last event before it, with the process and the time; a run
// that is not recorded asks for nothing, and is the same.
func TestPrinted(t *testing.T) {
	var mu sync.Mutex
	var text []byte
	asked, known := 0, false
	say := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		text = append(text, s...)
	}
	run := func(record bool, many int) sim.Report {
		return sim.Run(sim.Config{Record: record, Printed: func() []byte {
			asked++
			mu.Lock()
			defer mu.Unlock()
			part := text[:min(len(text), 1000)]
			text = text[len(part):]
			return part
		}}, func(w *sim.World) {
			_, known = goruntime.NextTimer()
			for _, name := range []string{"c1", "c2"} {
				p := w.NewProcess(name, sim.ProcessOptions{Host: "10.0.0.1" + name[1:]})
				say(name + " is made\n")
				p.Go(func() {
					say(name + " begins\n\nand ")
					p.Mark(0, "mark", func(sim.Event) {})
					go func() { // of the user's own, which goes on behind the mark
						time.Sleep(30 * time.Millisecond)
						say("later\xff\x1b[2J\r\n")
					}()
					p.Step("wait", 50*time.Millisecond)
					if name == "c2" {
						say(strings.Repeat("x", 600) + strings.Repeat("\nx", many-1))
					}
				})
			}
		})
	}
	r := run(true, 1)
	var got []string
	for _, m := range r.Remarks {
		got = append(got, fmt.Sprintf("%d %v %s %s", m.Seq, m.At, m.Actor, m.Line))
	}
	want := []string{
		"0 0s c1 c1 is made", "0 0s c2 c2 is made", "1 0s c1 c1 begins", "1 0s c1 and ", "3 0s c2 c2 begins", "3 0s c2 and ",
		"4 30ms c1 later\ufffd\x1b[2J", "4 30ms c2 later\ufffd\x1b[2J", "6 50ms c2 " + strings.Repeat("x", sim.MaxLine) + "…",
	}
	if !known { // as in the race build: nobody sees a timer fire between two events
		want[6], want[7] = "4 50ms c1 later\ufffd\x1b[2J", "4 50ms c1 later\ufffd\x1b[2J"
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	asked, text = 0, nil
	if other := run(false, 1); other.Hash != r.Hash || other.Remarks != nil || asked > 0 {
		t.Errorf("not recorded: the hash %x, not %x, %d remarks, asked %d times", other.Hash, r.Hash, len(other.Remarks), asked)
	}
	text = nil
	many := run(true, 1_000_000)
	last := many.Remarks[len(many.Remarks)-1]
	size := 0
	for _, m := range many.Remarks {
		size += len(m.Line)
	}
	if len(many.Remarks) > sim.MaxLines+1 || size > 64<<10 || last.Unkept+len(many.Remarks)-1 != 1_000_008 || many.Hash != r.Hash {
		t.Errorf("of a million lines %d remarks are kept, %d bytes; the last is %+v; the hash is %x, not %x", len(many.Remarks), size, last, many.Hash, r.Hash)
	}
}
