package simrun

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
)

// malformed are inputs that cannot be judged, each with the flags that it is given with.
var malformed = []struct{ name, in, flags string }{
	{"a log", "\n2026-03-01T10:00:00.1Z pod-a lock=orders asks req=17\n", ""},
	{"a table", "client,object,op,call,return\nc1,orders,acquire,1,2\n", ""},
	{"a script's comment", "# recorded by pod-a\n{\"client\":\"c1\"}\n", ""},
	{"an object of another language", "{'client': 'c1'}\n", ""},
	{"an object without quotes", "{client: \"c1\"}\n", ""},
	{"HTML", "<html><script>alert(1)</script>\n", ""},
	{"a control character", "\x1b[2Jc1\n", ""},
	{"gzip", "\x1f\x8b\x08\x00\x00", ""},
	{"UTF-16", "\xff\xfe{\x00\"\x00", ""},
	{"a log of JSON objects", `{"level":"info","msg":"acquired"}` + "\n", ""},
	{"an object of several lines", "{\n  \"client\": \"c1\"\n}\n", ""},
	{"an array", `[{"client":"c1"}]`, ""},
	{"a comma behind the line", `{"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"},` + "\n", ""},
	{"half a line", `{"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}` + "\n" + `{"client":"c1","obj`, ""},
	{"an operation of another model", `{"client":"c1","object":"o","op":"lock","call":1,"return":2,"outcome":"ok"}` + "\n", ""},
	{"too many operations", strings.Repeat(`{"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}`+"\n", 3), "--limit=2"},
	{"EDN that ends", "{:type :invoke, :f :acquire, :process 1", ""},
	{"EDN of another model", "{:type :invoke, :f :cas, :process 1, :value nil}\n", ""},
	{"EDN without a type", "{:process 1}\n", ""},
	{"EDN that answers nothing", "\n{:type :ok, :f :acquire, :process 1}\n", ""},
	{"EDN read as NDJSON", "{:type :invoke, :f :acquire, :process 1}\n", "--format=ndjson"},
	{"NDJSON read as EDN", `{"client":"c1"}` + "\n", "--format=edn"},
	{"a log read as NDJSON", "pod-a asks\n", "--format=ndjson"},
	{"a log read as EDN", "pod-a asks\n", "--format=edn"},
	{"EDN with uncertain clocks", "{:type :invoke, :f :acquire, :process 1}\n", "--uncertainty=1ms"},
}

// TestJudgeMalformed: each message says what was wrong and in which line, what was wanted
// and as what the file was read, and what to do.
func TestJudgeMalformed(t *testing.T) {
	var all strings.Builder
	for _, m := range malformed {
		var out, errs bytes.Buffer
		a := &app{name: "simrun", in: strings.NewReader(m.in), out: &out, err: &errs}
		args := []string{"judge", "-", "--model", "mutex"}
		if m.flags != "" {
			args = append(args, m.flags)
		}
		if code := a.main(t.Context(), args); code != exitUsage || out.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s", m.name, code, &out)
		}
		if strings.ContainsAny(errs.String(), "\x1b\x00") {
			t.Errorf("%s: the message has control characters: %q", m.name, &errs)
		}
		fmt.Fprintf(&all, "%s %s\n%s\n", m.name, m.flags, &errs)
	}
	golden.File(t, filepath.Join("testdata", "judge", "malformed.golden"), all.String())
}
