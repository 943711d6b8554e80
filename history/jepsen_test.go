package history

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// jepsen reads EDN of operations on objects of the kind.
func jepsen(kind model.Kind, text string) (*History, error) {
	return Read(Options{Kind: kind}, Input{Reader: strings.NewReader(text)})
}

// TestJepsen pairs events, leaves out what failed, and lets a process that
// crashed go on as another.
func TestJepsen(t *testing.T) {
	h, err := jepsen(model.KindFenced, `
[{:type :invoke, :f :acquire, :process 0, :value nil, :time 100, :index 0}
 {:type :invoke, :f :acquire, :process 1, :value nil, :time 200, :index 1}
 {:type :ok, :f :acquire, :process 0, :value {:client "n1" :fence 3 :uid 77}, :time 300, :index 2}
 {:type :info, :f :start, :process :nemesis, :value "cut off", :time 350, :index 3}
 {:type :fail, :f :acquire, :process 1, :error :timeout, :time 400, :index 4}
 #jepsen.history.Op{:type :invoke, :f :release, :process 0, :value {:client "n1"}, :time 500, :index 5}
 {:type :info, :f :release, :process 0, :value nil, :time 600, :index 6}
 {:type :invoke, :f :acquire, :process 0, :time 700, :index 7}
 {:type :ok, :f :acquire, :process 0, :value {:fence 0} :time 800, :index 8}
 {:type :invoke, :f :release, :process 0}]`)
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Call{
		{ID: 1, Client: "0", Object: "fenced", Op: model.Acquire, Owner: "n1", Call: 1, Return: 3, Outcome: model.OK, Token: 3, Fenced: true},
		{ID: 2, Client: "0", Object: "fenced", Op: model.Release, Owner: "n1", Call: 5, Outcome: model.Unknown},
		{ID: 3, Client: "0.2", Object: "fenced", Op: model.Acquire, Call: 7, Return: 8, Outcome: model.OK},
		{ID: 4, Client: "0.2", Object: "fenced", Op: model.Release, Call: 9, Outcome: model.Unknown},
	}
	if len(h.Calls) != len(want) || h.Dropped != 1 {
		t.Fatalf("%d calls, %d dropped", len(h.Calls), h.Dropped)
	}
	for i := range want {
		if h.Calls[i] != want[i] {
			t.Errorf("call %d:\ngot  %+v\nwant %+v", i+1, h.Calls[i], want[i])
		}
	}
	if o := h.Origins[0]; o != (Origin{Line: 2, Call: 100, Return: 300}) {
		t.Errorf("origin %+v", o)
	}
	if a := h.Annotations[0]; a != (Annotation{Text: `:start "cut off"`, On: "nemesis", From: 4, To: 4, Began: 350, Ended: 350}) {
		t.Errorf("annotation %+v", a)
	}
}

// TestJepsenFailed: a release that failed is no call, and the reader is told of it; so is an error by which
// an outcome is unknown. An acquire that failed says nothing of who holds the lock.
func TestJepsenFailed(t *testing.T) {
	h, err := jepsen(model.KindMutex, `
{:type :invoke, :f :acquire, :process 0, :time 10}
{:type :ok, :f :acquire, :process 0, :time 20}
{:type :invoke, :f :acquire, :process 1, :time 30}
{:type :invoke, :f :release, :process 0, :time 40}
{:type :fail, :f :acquire, :process 1, :error :busy, :time 50}
{:type :fail, :f :release, :process 0, :error [:status 500], :time 60}
{:type :invoke, :f :release, :process 0, :time 70}
{:type :info, :f :release, :process 0, :error :timeout, :time 80}
{:type :invoke, :f :acquire, :process 1}
{:type :ok, :f :acquire, :process 1}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Annotation{
		{Text: ":release failed, and had no effect: [:status 500]", On: "0", From: 4, To: 6, Began: 40, Ended: 60},
		{Text: ":release has an unknown outcome: :timeout", On: "0", From: 7, To: 7, Began: 70, Ended: 70},
	}
	if !slices.Equal(h.Annotations, want) || len(h.Calls) != 3 || h.Dropped != 2 {
		t.Errorf("%d calls, %d dropped, %+v", len(h.Calls), h.Dropped, h.Annotations)
	}
}

// TestJepsenValues is about what values mean for the kinds.
func TestJepsenValues(t *testing.T) {
	for _, test := range []struct {
		name             string
		kind             model.Kind
		f, asked, answer string
		want             model.Call
	}{
		{"write", model.KindRegister, "write", "5", "5", model.Call{N: 5}},
		{"cas", model.KindRegister, "cas", "[3 -5]", "[3 -5]", model.Call{Expected: 3, N: -5}},
		{"read", model.KindRegister, "read", "nil", "5", model.Call{Value: 5, Valued: true}},
		{"read of nothing told", model.KindRegister, "read", "nil", "nil", model.Call{}},
		{"add", model.KindCounter, "add", "2", "2", model.Call{N: 2}},
		{"permits", model.KindSemaphore, "acquire", "3", "nil", model.Call{N: 3}},
		{"permits in a map", model.KindSemaphore, "acquire", "{:permits 3}", "{:client :a}", model.Call{N: 3, Owner: "a"}},
		{"a permit", model.KindPermitSemaphore, "acquire", "nil", `{:permit "p1"}`, model.Call{Permit: "p1"}},
		{"a fence of a lock without", model.KindMutex, "acquire", "nil", "{:fence 4}", model.Call{}},
		{"count-down", model.KindLatch, "count-down", "2", "nil", model.Call{N: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, err := jepsen(test.kind, "{:type :invoke :process 1 :f :"+test.f+" :value "+test.asked+"}{:type :ok :process 1 :f :"+test.f+" :value "+test.answer+"}")
			if err != nil {
				t.Fatal(err)
			}
			want := test.want
			want.ID, want.Client, want.Object, want.Op, want.Call, want.Return, want.Outcome = 1, "1", string(test.kind), model.OpKind(test.f), 1, 2, model.OK
			if h.Calls[0] != want {
				t.Errorf("got  %+v\nwant %+v", h.Calls[0], want)
			}
		})
	}
}

// TestJepsenIndependent takes pairs apart.
func TestJepsenIndependent(t *testing.T) {
	in := "{:type :invoke :process 1 :f :write :value [x 5]}\n{:type :ok :process 1 :f :write :value [x 5]}"
	h, err := Read(Options{Kind: model.KindRegister, Independent: true}, Input{Reader: strings.NewReader(in)})
	if err != nil || h.Calls[0].Object != "x" || h.Calls[0].N != 5 {
		t.Errorf("%v, %+v", err, h)
	}
	in = "{:type :invoke :process 1 :f :cas :value [x [5 6]]}\n{:type :info :process 1 :f :cas :value [x [5 6]]}"
	h, err = Read(Options{Kind: model.KindRegister, Independent: true}, Input{Reader: strings.NewReader(in)})
	if err != nil || h.Calls[0].Object != "x" || h.Calls[0].Expected != 5 || h.Calls[0].N != 6 {
		t.Errorf("%v, %+v", err, h)
	}
}

// TestJepsenErrors are told with their line.
func TestJepsenErrors(t *testing.T) {
	const asked = "{:type :invoke, :f :acquire, :process 1}\n"
	for _, test := range []struct{ name, in, says string }{
		{"no EDN", "[{:type}]", "line 1: a map with a key that has no value"},
		{"no map", asked + ":x", "line 2: want a map such as {:type :invoke"},
		{"no type", "{:f :acquire, :process 1}", "line 1: :type: want a keyword, and there is none"},
		{"another type", "{:type :done :f :acquire, :process 1}", `line 1: :type: want :invoke, :ok, :fail or :info, not ":done"`},
		{"no f", "{:type :ok, :process 1}", "line 1: :f: want a keyword"},
		{"no process", "{:type :ok, :f :acquire}", "line 1: :process: want a whole number"},
		{"a process that is a string", `{:type :ok, :f :acquire :process "a"}`, `:process: want a whole number, or a keyword such as :nemesis, not "a"`},
		{"a bad time", `{:type :ok, :f :acquire :process 1 :time "a"}`, `:time: want a whole number, not "a"`},
		{"answered without a question", "\n{:type :ok, :f :acquire, :process 1}", "line 2: :ok of process 1, which has nothing under way"},
		{"asked twice", asked + asked, "line 2: :invoke of process 1, whose :invoke of line 1 is under way"},
		{"another answer", asked + "{:type :ok, :f :release, :process 1}", "line 2: :ok of :release, where process 1 has :acquire of line 1 under way"},
		{"an index that goes back", "{:type :invoke, :f :acquire, :process 1 :index 5}{:type :ok, :f :acquire, :process 1 :index 5}", ":index 5 behind 5"},
		{"another f", "{:type :invoke, :f :cas, :process 1}", `line 1: :f ":cas": a mutex has :acquire, :release`},
		{"a value of no meaning", "{:type :invoke, :f :acquire, :process 1 :value 3}", "line 1: :acquire with :value 3: want nil, a map"},
		{"a detail of no meaning", "{:type :invoke, :f :acquire, :process 1 :value {:node 3}}", "line 1: :acquire with :value {:node 3}: :node 3: want :client"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := jepsen(model.KindMutex, test.in)
			var wrong *LineError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got  %v\nwant %s", err, test.says)
			}
		})
	}
}

// TestJepsenCas: what a compare-and-set asks for is a pair of numbers.
func TestJepsenCas(t *testing.T) {
	for _, value := range []string{"nil", "3", "[3]", "[nil 3]", "[3 nil]", "[1 2 3]", "{:client 1}", "[[1 2] 3]"} {
		_, err := jepsen(model.KindRegister, "{:type :invoke, :f :cas, :process 1 :value "+value+"}")
		if want := "line 1: :cas with :value " + value + ": want a pair of whole numbers"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestJepsenLimits: what takes more memory than allowed is an error.
func TestJepsenLimits(t *testing.T) {
	const event = "{:type :invoke, :f :acquire, :process 1}{:type :ok, :f :acquire, :process 1}"
	big := "{:type :invoke, :f :acquire, :process 1, :value [" + strings.Repeat("1 ", 5*partsEach) + "]}"
	for in, says := range map[string]string{
		strings.Repeat(event, 5): "line 1: more than 4 operations",
		big:                      "line 1: values of more than 64 parts in all",
	} {
		_, err := Read(Options{Kind: model.KindMutex, MaxCalls: 4}, Input{Reader: strings.NewReader(in)})
		if err == nil || err.Error() != says {
			t.Errorf("got %v, want %s", err, says)
		}
	}
}

// TestJepsenOptions: what cannot be meant is an error.
func TestJepsenOptions(t *testing.T) {
	in := func() Input { return Input{Reader: strings.NewReader("[]")} }
	for _, o := range []Options{{}, {Kind: model.KindMutex, Uncertainty: 5}, {Kind: "lock"}, {Format: "xml"}, {Uncertainty: -1}} {
		if _, err := Read(o, in()); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := Read(Options{Kind: model.KindMutex}, in(), in()); err == nil {
		t.Error("two files: no error")
	}
}
