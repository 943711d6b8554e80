package testbinary

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// A worker's test never ends: the process does. So go test would not report that code of a run has failed the test, by
// t.Error, by t.Fatal in a goroutine of its own, or by a data race, nor its output. This file detects both.

// noticing returns a Runner whose runs fail if their code fails the test, or a test around it.
func noticing(t *testing.T, run explore.Runner) explore.Runner {
	return func(how explore.Run) explore.Outcome {
		before := levels(t)
		if how.Record {
			how.Printed = either(how.Printed, logged(t))
		}
		o := run(how)
		failed := false
		var said strings.Builder
		for i, now := range levels(t) {
			failed = failed || now.failed && !before[i].failed
			said.Write(now.output[min(len(before[i].output), len(now.output)):])
		}
		if failed {
			o.FailedTest = []string{}
			for line := range strings.Lines(said.String()) {
				o.FailedTest = append(o.FailedTest, strings.TrimSpace(line))
			}
		}
		return o
	}
}

// logged returns a function that returns what the test has logged since its last call, or a part of that.
func logged(t *testing.T) func() []byte {
	seen := fields(t)
	return func() []byte {
		for i, now := range fields(t) {
			before := min(len(seen[i].output), len(now.output))
			if seen[i] = now; before < len(now.output) {
				return now.output[before:]
			}
		}
		return nil
	}
}

// either returns the result of one function or, if that is empty, of the other. The first may be nil.
func either(one, other func() []byte) func() []byte {
	return func() []byte {
		if one != nil {
			if text := one(); len(text) > 0 {
				return text
			}
		}
		return other()
	}
}

// level is the state of a test.
type level struct {
	failed bool
	output []byte // logged by it and not printed by go test yet
}

// levels returns the test and those that it is a subtest of, since code may have the T of each. Package testing only shows
// whether the test itself has failed: the rest is read from its fields, and is missing if a release of Go has others.
func levels(t *testing.T) []level {
	failed := t.Failed() // waits for a goroutine that is failing it, and asks the race detector
	list := fields(t)
	list[0].failed = failed
	return list
}

// fields returns the levels as read from the fields of testing.T.
func fields(t *testing.T) (list []level) {
	for v := reflect.ValueOf(t).Elem().FieldByName("common"); v.Kind() == reflect.Struct; v = v.FieldByName("parent").Elem() {
		var one level
		if f := v.FieldByName("failed"); f.Kind() == reflect.Bool {
			one.failed = f.Bool()
		}
		if f := v.FieldByName("output"); f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Uint8 {
			one.output = f.Bytes()
		}
		list = append(list, one)
		if p := v.FieldByName("parent"); p.Kind() != reflect.Pointer || p.IsNil() {
			break
		}
	}
	if len(list) == 0 {
		list = []level{{}}
	}
	return list
}
