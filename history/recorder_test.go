package history

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestRecorder records many goroutines, and what it has written is read back:
// as many operations, one at a time for each client, all returned but one.
func TestRecorder(t *testing.T) {
	var file bytes.Buffer
	r := NewRecorder(&file)
	var lock sync.Mutex
	var clients sync.WaitGroup
	for _, client := range []string{"c1", "c2", "c3"} {
		clients.Go(func() {
			for range 50 {
				acquire := r.Call(model.Call{Client: client, Object: "o", Op: model.Acquire})
				lock.Lock()
				acquire.Return(model.OK, func(c *model.Call) { c.Token, c.Fenced = int64(acquire.ID()), true })
				release := r.Call(model.Call{Client: client, Object: "o", Op: model.Release, Of: acquire.ID()})
				lock.Unlock()
				release.Return(model.OK)
			}
		})
	}
	clients.Wait()
	r.Annotate("c1", "the end is near")
	r.Call(model.Call{Client: "c1", Object: "o", Op: model.Acquire}) // never returns
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	h, err := read(file.String())
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Calls) != 301 || len(h.Annotations) != 1 || h.Shared != 0 {
		t.Fatalf("%d calls, %d annotations, %d shared", len(h.Calls), len(h.Annotations), h.Shared)
	}
	inside := "" // the mutex was one: no acquire returns between another's return and its release's call
	for at, word := range strings.Fields(order(h)) {
		c := h.callAt(int64(at + 1))
		switch {
		case c == nil:
			t.Fatalf("no call at event %d", at+1)
		case c.Op == model.Acquire && strings.HasPrefix(word, "/"):
			if inside != "" {
				t.Fatalf("%s is in while %s is", c.Client, inside)
			}
			inside = c.Client
		case c.Op == model.Release && !strings.HasPrefix(word, "/"):
			inside = ""
		}
	}
	if last := h.Calls[300]; !last.Pending() || last.Client != "c1" {
		t.Errorf("the last one: %+v", last)
	}
}

// callAt finds the call that has the event.
func (h *History) callAt(event int64) *model.Call {
	for i := range h.Calls {
		if c := &h.Calls[i]; c.Call == event || c.Return == event {
			return c
		}
	}
	return nil
}

// TestRecorderClock stamps by the clock that it is given.
func TestRecorderClock(t *testing.T) {
	var file bytes.Buffer
	r := NewRecorder(&file)
	now := int64(1000)
	r.Clock(func() int64 { now += 10; return now })
	r.Call(model.Call{Client: "c1", Object: "o", Op: model.Acquire}).Return(model.Failed)
	want := `{"id":1,"client":"c1","object":"o","op":"acquire","call":1010,"outcome":"unknown"}
{"id":1,"client":"c1","object":"o","op":"acquire","call":1010,"return":1020,"outcome":"failed"}
`
	if file.String() != want {
		t.Errorf("got\n%swant\n%s", file.String(), want)
	}
}

// TestRecorderErrors: whatever goes wrong, the file ends there and Err says
// why.
func TestRecorderErrors(t *testing.T) {
	full := errors.New("disk full")
	for _, test := range []struct {
		name string
		do   func(*Recorder)
		says string
	}{
		{"a client without a name", func(r *Recorder) { r.Call(model.Call{Object: "o", Op: model.Acquire}) }, "field client is empty"},
		{"returned twice", func(r *Recorder) {
			p := r.Call(model.Call{Client: "c", Object: "o", Op: model.Acquire})
			p.Return(model.OK)
			p.Return(model.OK)
		}, "operation 2 (acquire of c) returned twice"},
		{"a result that is none", func(r *Recorder) {
			r.Call(model.Call{Client: "c", Object: "o", Op: model.Acquire}).Return("fine")
		}, `want ok, failed or unknown, not "fine"`},
		{"a line that is too long", func(r *Recorder) { r.Annotate("c", strings.Repeat("x", MaxLine)) }, "want at most 65536"},
		{"a disk that is full", func(r *Recorder) { r.out.out = failing{full}; r.Annotate("", "x") }, "disk full"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var file bytes.Buffer
			r := NewRecorder(&file)
			r.Call(model.Call{Client: "c0", Object: "o", Op: model.Acquire}).Return(model.OK)
			test.do(r)
			length := file.Len()
			r.Call(model.Call{Client: "c9", Object: "o", Op: model.Acquire}).Return(model.OK)
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), test.says) || file.Len() != length {
				t.Errorf("got %v, want %s; %d bytes more", err, test.says, file.Len()-length)
			}
			if _, err := read(file.String()); err != nil {
				t.Errorf("what was written cannot be read: %v", err)
			}
		})
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
