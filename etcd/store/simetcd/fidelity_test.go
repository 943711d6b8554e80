package simetcd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/realetcd"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

// election is so short that the shortest lease lasts a second.
const election = 500 * time.Millisecond

// realPlace is a real server, by its JSON gateway.
type realPlace struct {
	addr    string
	context context.Context
	streams []*realStream
}

type realStream struct {
	mu   sync.Mutex
	came []object
}

// body are messages in JSON, one after the other.
func body(messages []object) io.Reader {
	var b bytes.Buffer
	for _, m := range messages {
		text, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	return &b
}

func (p *realPlace) post(name string, messages []object) (*http.Response, error) {
	r, err := http.NewRequestWithContext(p.context, http.MethodPost, "http://"+p.addr+apis[name].gateway, body(messages))
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(r)
}

func (p *realPlace) call(name string, messages ...object) (list []object, err error) {
	r, err := p.post(name, messages)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	for d := json.NewDecoder(r.Body); ; {
		var m object
		if err := d.Decode(&m); err != nil {
			return list, nil //nolint:nilerr // the end
		}
		if message, failed := m["message"].(string); failed {
			code, _ := m["code"].(float64)
			return list, &failure{int(code), message}
		}
		if result, streamed := m["result"].(object); streamed {
			m = result
		}
		list = append(list, m)
	}
}

func (p *realPlace) watch(messages ...object) int {
	s := &realStream{}
	p.streams = append(p.streams, s)
	r, err := p.post("watch", messages)
	if err != nil {
		panic(err)
	}
	go func() {
		defer r.Body.Close()
		for d := json.NewDecoder(r.Body); ; {
			var m object
			if d.Decode(&m) != nil {
				return
			}
			result, _ := m["result"].(object)
			if result == nil {
				result = m
			}
			s.mu.Lock()
			s.came = append(s.came, result)
			s.mu.Unlock()
		}
	}()
	return len(p.streams) - 1
}

// heard waits for what a simulated server has told.
func (p *realPlace) heard(stream, events int) []object {
	s := p.streams[stream]
	count := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, m := range s.came {
			list, _ := m["events"].([]any)
			n += max(1, len(list))
		}
		return n
	}
	for deadline := time.Now().Add(2 * time.Second); count() < events && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.came
	s.came = nil
	return list
}

func (p *realPlace) sleep(d time.Duration) { time.Sleep(d) }

// simulatedPlace is a server in a world.
type simulatedPlace struct {
	*client
	streams []uint32
}

func (p *simulatedPlace) watch(messages ...object) int {
	p.streams = append(p.streams, p.begin("watch", false, messages...))
	return len(p.streams) - 1
}

func (p *simulatedPlace) heard(stream, _ int) []object {
	if stream == 0 {
		p.sleep(settled)
		for p.receive(time.Millisecond) {
			continue
		}
	}
	return p.take(p.streams[stream])
}

// onSimulated plays a script in a world, at the last of so many servers.
func onSimulated(members int, script []command, events map[string]int) []string {
	return fidelity.InWorld(func(w *sim.World, lines *[]string) {
		c := New(w, Options{Members: members, Election: election, Transport: plain}, func(model.Observation) {})
		process := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		process.Go(func() {
			client, err := dial(process, c.Addresses()[members-1])
			if err != nil {
				panic(err)
			}
			x := &player{place: &simulatedPlace{client: client}, events: events, first: true}
			*lines = x.play(script)
		})
	})
}

// onReal plays a script on a real server.
func onReal(server *realetcd.Server, script []command, events map[string]int) []string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x := &player{place: &realPlace{addr: server.Addr, context: ctx}, events: events}
	return x.play(script)
}

// difference is where two plays differ, with the lines of the command before it, or "".
func difference(got, want []string) string {
	return fidelity.Difference(got, want, func(line string) bool {
		return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "stream")
	})
}

// describe is a script in words.
func describe(script []command) string {
	var b strings.Builder
	for i, c := range script {
		if c.what != "nothing" {
			request, _ := json.Marshal(c.request)
			messages, _ := json.Marshal(c.messages)
			fmt.Fprintf(&b, "%d: %s %s %s\n", i, c.what, request, messages)
		}
	}
	return b.String()
}

// compareScript plays a script in simulated worlds and on the real server, and returns where
// they differ, or "".
func compareScript(server *realetcd.Server, script []command) string {
	events := map[string]int{}
	alone := onSimulated(1, script, events)
	want := onReal(server, script, events)
	for members, got := range map[int][]string{1: alone, 3: onSimulated(3, script, map[string]int{})} {
		if d := difference(got, want); d != "" {
			return fmt.Sprintf("%d members:\n%s\n%s", members, d, describe(script))
		}
	}
	return ""
}

// TestFidelity plays random scripts on a real server and on simulated ones, and
// compares what the client is told line by line. When the machine is busy, a real server's
// watchers may be late: then it plays the script again.
func TestFidelity(t *testing.T) {
	server := realetcd.Start(t, election)
	fidelity.Check(t, func(rt *rapid.T) string {
		script := drawScript(rt, 60)
		return fidelity.Repeat(func() string { return compareScript(server, script) })
	})
}
