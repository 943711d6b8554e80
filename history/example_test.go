package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/model"
)

var errHeld = errors.New("somebody else holds it")

// tryLock stands for your lock.
func tryLock() (token int64, err error) { return 7, nil }

// A recorder beside the calls of a lock. What is not known of an operation is
// said to be unknown: a time-out may or may not have taken effect.
func ExampleRecorder() {
	recorder := history.NewRecorder(os.Stdout) // a file, in earnest

	acquire := recorder.Call(model.Call{Client: "worker-1", Object: "orders", Op: model.Acquire, Try: true})
	token, err := tryLock()
	switch {
	case err == nil:
		acquire.Return(model.OK, func(c *model.Call) { c.Fenced, c.Token = true, token })
	case errors.Is(err, errHeld):
		acquire.Return(model.Failed)
	default:
		acquire.Return(model.Unknown)
	}
	recorder.Call(model.Call{Client: "worker-1", Object: "orders", Op: model.Release, Of: acquire.ID()})
	// The process dies here: the release stays open.

	// Output:
	// {"id":1,"client":"worker-1","object":"orders","op":"acquire","try":true,"call":1,"outcome":"unknown"}
	// {"id":1,"client":"worker-1","object":"orders","op":"acquire","try":true,"call":1,"return":2,"outcome":"ok","token":7}
	// {"id":2,"client":"worker-1","object":"orders","op":"release","of":1,"call":3,"outcome":"unknown"}
}

func ExampleRead() {
	const file = `{"client":"c1","object":"orders","op":"acquire","call":100,"return":250,"outcome":"ok"}
{"client":"c1","object":"orders","op":"release","call":400,"return":420,"outcome":"ok"}
{"client":"c2","object":"orders","op":"acquire","call":120,"return":430,"outcome":"ok"}`
	h, err := history.Read(history.Options{}, history.Input{Name: "orders.ndjson", Reader: strings.NewReader(file)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range h.Calls {
		fmt.Printf("%s: %s %s, events %d to %d\n", h.Origins[i], c.Client, c.Op, c.Call, c.Return)
	}
	_, err = history.Read(history.Options{}, history.Input{Name: "typo.ndjson", Reader: strings.NewReader(`{"clint":"c1"}`)})
	problem, _, _ := strings.Cut(err.Error(), ";")
	fmt.Println(problem)
	// Output:
	// orders.ndjson:1: c1 acquire, events 1 to 3
	// orders.ndjson:3: c2 acquire, events 2 to 6
	// orders.ndjson:2: c1 release, events 4 to 5
	// typo.ndjson:1: unknown field "clint"
}

// Logs that are in a file already are written as a history by a program of a
// few lines, in whatever order.
func ExampleWriter() {
	var b bytes.Buffer
	w := history.NewWriter(&b)
	err := w.Write(model.Call{Client: "pod-3", Object: "orders", Op: model.Acquire, Call: 1700000000123456789, Return: 1700000000125000000, Outcome: model.OK})
	if err == nil {
		err = w.Annotate(history.Annotation{Text: "failover", On: "redis-1", From: 1700000000124000000})
	}
	fmt.Print(b.String(), err)
	// Output:
	// {"client":"pod-3","object":"orders","op":"acquire","call":1700000000123456789,"return":1700000000125000000,"outcome":"ok"}
	// {"annotation":"failover","on":"redis-1","from":1700000000124000000}
	// <nil>
}
