package simrun

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/history"
	"github.com/lockpick-dev/lockpick/internal/judging"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// judged is a history of testdata/judge.
func judged(name string) string { return filepath.Join("testdata", "judge", name) }

// TestJudge is what judge says, for people and for machines.
func TestJudge(t *testing.T) {
	for _, test := range []struct {
		golden string
		code   int
		args   []string
	}{
		{"two_holders.golden", exitViolation, []string{judged("two_holders.ndjson"), "--model", "mutex"}},
		{"two_holders_json.golden", exitViolation, []string{judged("two_holders.ndjson"), "--model", "mutex", "--json"}},
		{"two_files.golden", exitViolation, []string{judged("two_holders.ndjson"), judged("legal.ndjson"), "--model", "mutex"}},
		{"legal.golden", exitNone, []string{judged("legal.edn"), "--model", "mutex"}},
		{"legal_json.golden", exitNone, []string{judged("legal.edn"), "--model", "mutex", "--json"}},
		{"register.golden", exitViolation, []string{judged("register.ndjson"), "--model", "register"}},
		{"cas.golden", exitNone, []string{judged("cas.edn"), "--model", "register", "-p", "initial=-1"}},
		{"cas_failed.golden", exitViolation, []string{judged("cas_failed.edn"), "--model", "register"}},
		{"cas_independent.golden", exitViolation, []string{judged("cas_independent.edn"), "--model", "register", "--independent"}},
		{"cas_ndjson.golden", exitNone, []string{judged("cas.ndjson"), "--model", "register"}},
		{"cas_twice.golden", exitViolation, []string{judged("cas_twice.ndjson"), "--model", "register"}},
		{"hostile.golden", exitViolation, []string{judged("hostile.ndjson"), "--model", "mutex"}},
		{"ticks.golden", exitViolation, []string{judged("ticks.ndjson"), "--model", "mutex"}},
		{"ticks_uncertain.golden", exitNone, []string{judged("ticks.ndjson"), "--model", "mutex", "--uncertainty", "1ns"}},
		{"crash.golden", exitViolation, []string{judged("crash.ndjson"), "--model", "mutex"}},
		{"empty.golden", exitInconclusive, []string{judged("empty.ndjson"), "--model", "mutex"}},
		{"hard.golden", exitInconclusive, []string{judged("hard.ndjson"), "--model", "register", "--timeout", "50ms"}},
	} {
		t.Run(test.golden, func(t *testing.T) {
			code, out, errs := simrun(t, append([]string{"judge"}, test.args...)...)
			if code != test.code || errs != "" {
				t.Errorf("exit code %d, want %d; stderr: %s", code, test.code, errs)
			}
			golden.File(t, filepath.Join("testdata/judge", test.golden), out)
		})
	}
}

// TestJudgeUsage: what cannot be judged is an error with the line, or the flag.
func TestJudgeUsage(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name string
		args []string
		says string
	}{
		{"no model", []string{judged("legal.edn")}, "missing flags: --model=KIND; there are mutex, reentrant, "},
		{"another model", []string{judged("legal.edn"), "--model", "spinlock"}, `there is no model "spinlock"; there are mutex, reentrant, `},
		{"no file", []string{"--model", "mutex"}, "want the files of histories"},
		{"no such file", []string{filepath.Join(dir, "none"), "--model", "mutex"}, "there is no file "},
		{"a directory", []string{dir, "--model", "mutex"}, "is a directory"},
		{"standard input twice", []string{"-", "-", "--model", "mutex"}, "- is given twice"},
		{"a parameter without value", []string{judged("legal.edn"), "--model", "latch", "-p", "count"}, "want name=value, such as permits=3"},
		{"another kind's parameter", []string{judged("legal.edn"), "--model", "mutex", "-p", "permits=3"}, "a mutex has no such parameter; it has none"},
		{"a parameter twice", []string{judged("legal.edn"), "--model", "latch", "-p", "count=1", "-p", "count=2"}, "count is given twice"},
		{"a parameter that is no number", []string{judged("legal.edn"), "--model", "stock", "-p", "stock=3,x"}, `want a whole number, got "x"`},
		{"a parameter that is missing", []string{judged("legal.edn"), "--model", "semaphore"}, "semaphore with 0 permits: want 1 or more (set it with --param)"},
		{"a parameter out of range", []string{judged("legal.edn"), "--model", "latch", "-p", "count=-1"}, "count -1: want 0 or more"},
		{"a negative limit", []string{judged("legal.edn"), "--model", "mutex", "--limit", "-1"}, "--limit=-1: want at least 1"},
		{"a negative uncertainty", []string{judged("legal.edn"), "--model", "mutex", "--uncertainty=-1s"}, "--uncertainty=-1s: want 0 or more"},
		{"no time", []string{judged("legal.edn"), "--model", "mutex", "--timeout", "0s"}, "--timeout=0s: want more than 0"},
		{"uncertain EDN", []string{judged("legal.edn"), "--model", "mutex", "--uncertainty", "1ms"}, "want one file, and no uncertainty"},
		{"too many operations", []string{judged("ticks.ndjson"), "--model", "mutex", "--limit", "3"}, "ticks.ndjson: line 4: more than 3 operations"},
		{"a bad line", []string{file("bad1", "\n{\"client\":3}"), "--model", "mutex"}, "bad1: line 2: field client: want a string, not 3"},
		{"a bad line of several files", []string{judged("ticks.ndjson"), file("bad", "{\"client\":3}"), "--model", "mutex"}, "bad:1: field client"},
		{"another format", []string{judged("ticks.ndjson"), "--model", "mutex", "--format", "edn"}, "ticks.ndjson: line 1: "},
		{"an operation of another kind", []string{judged("ticks.ndjson"), "--model", "latch"}, `ticks.ndjson: line 1: operation "acquire": a latch has count-down, await, read`},
		{"a name that is a command", []string{file("esc", `{"client":"c","\u001b[2J":1}`), "--model", "mutex"}, `field "\x1b[2J"`},
		{"the history as the picture", []string{judged("ticks.ndjson"), "--model", "mutex", "-o", judged("ticks.ndjson")}, "is the history itself"},
		{"a picture that cannot be written", []string{judged("ticks.ndjson"), "--model", "mutex", "-o", filepath.Join(dir, "none", "x.html")}, "the picture cannot be written"},
		{"porcupine's page nowhere", []string{judged("ticks.ndjson"), "--model", "mutex", "--porcupine"}, "name the file for its page with -o"},
		{"two things on standard output", []string{judged("ticks.ndjson"), "--model", "mutex", "-o", "-", "--json"}, "both go to standard output"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, errs := simrun(t, append([]string{"judge"}, test.args...)...)
			if code != exitUsage || !strings.Contains(errs, test.says) || out != "" && !strings.Contains(errs, "expected") && !strings.Contains(out, "Usage") {
				t.Errorf("exit code %d, want %d saying %q\nstdout: %s\nstderr: %s", code, exitUsage, test.says, out, errs)
			}
		})
	}
}

// TestJudgeStdin judges what is piped in.
func TestJudgeStdin(t *testing.T) {
	text, err := os.ReadFile(judged("ticks.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	a := &app{name: "simrun", in: bytes.NewReader(text), out: &out, err: &errs}
	if code := a.main(t.Context(), []string{"judge", "-", "--model", "mutex"}); code != exitViolation || !strings.HasPrefix(out.String(), "standard input  model mutex") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
}

// TestJudgePorcupine: porcupine's page shows the shortest illegal part with what else
// happened then, and nothing in it is markup that a file of strangers brought.
func TestJudgePorcupine(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	code, out, errs := simrun(t, "judge", judged("hostile.ndjson"), "--model", "mutex", "--porcupine", "-o", page)
	if code != exitViolation || !strings.Contains(out, "wrote "+page) {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, element := range []string{"script", "style"} { // the policy admits these alone, byte for byte
		_, text, _ := strings.Cut(string(html), "<"+element+">")
		text, _, _ = strings.Cut(text, "</"+element+">")
		sum := sha256.Sum256([]byte(text))
		if admits := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(string(html), admits) {
			t.Errorf("the page's policy does not say %s", admits)
		}
	}
	if policy, _, _ := strings.Cut(string(html), "<title>"); !strings.Contains(policy, "content=\"default-src 'none'; ") {
		t.Errorf("no policy before the title:\n%s", policy)
	}
	_, data, ok := strings.Cut(string(html), "const data = ")
	if !ok {
		t.Fatal("the page has no data")
	}
	line, _, _ := strings.Cut(data, "\n")
	if strings.ContainsAny(line, "<>&") {
		t.Errorf("markup in the script: %s", line)
	}
	var drawn struct {
		Partitions []struct {
			History               []struct{ Description, Metadata string }
			PartialLinearizations [][]struct{ StateDescription string }
		}
		Annotations []struct{ Tag, Description string }
	}
	if err := json.Unmarshal([]byte(line), &drawn); err != nil {
		t.Fatal(err)
	}
	if len(drawn.Partitions) != 1 || len(drawn.Partitions[0].History) != 2 || len(drawn.Annotations) != 1 {
		t.Fatalf("drawn: %+v", drawn)
	}
	states := 0
	for _, order := range drawn.Partitions[0].PartialLinearizations {
		for _, step := range order {
			states++
			if strings.ContainsAny(step.StateDescription, "<>") {
				t.Errorf("a state is put into the page as %q", step.StateDescription)
			}
		}
	}
	for _, op := range drawn.Partitions[0].History {
		if !strings.HasPrefix(op.Metadata, "line ") || strings.ContainsAny(op.Metadata, "<>") {
			t.Errorf("metadata are put into the page as %q", op.Metadata)
		}
	}
	if states == 0 {
		t.Error("no states are drawn")
	}
}

// TestJudgePage: the page shows the smallest illegal part with what is around it, or a part of a
// legal history, however long either is; in a file, and on standard output alone.
func TestJudgePage(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		name string
		code int
		says string
		has  string
	}{
		{"two_holders.ndjson", exitViolation, "the smallest illegal part of orders, with the operations around it", "<h1>orders is no mutex</h1>"},
		{"legal.ndjson", exitNone, "all operations on ", "<h1>There is an order of the operations that a mutex allows</h1>"},
		{"empty.ndjson", exitInconclusive, "0 of 0 objects", "<h1>There are no operations to judge</h1>"},
	} {
		page := filepath.Join(dir, test.name+".html")
		code, out, errs := simrun(t, "judge", judged(test.name), "--model", "mutex", "-o", page)
		if code != test.code || !strings.Contains(out, "wrote "+page+", a picture of "+test.says) || errs != "" {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
		html, err := os.ReadFile(page)
		if err != nil || !strings.Contains(string(html), test.has) || !strings.Contains(string(html), "<code>simrun judge "+judged(test.name)+" --model mutex</code>") {
			t.Errorf("%v: the page lacks %s", err, test.has)
		}
		code, out, errs = simrun(t, "judge", judged(test.name), "--model", "mutex", "-o", "-")
		if code != test.code || out != string(html) || errs != "" {
			t.Errorf("on standard output is another page: exit code %d\n%s", code, errs)
		}
	}
}

// TestJudgeLargePicture: of a long history the page shows a part; porcupine's page, which would
// be too large, is not written, and that is said.
func TestJudgeLargePicture(t *testing.T) {
	var b bytes.Buffer
	w := history.NewWriter(&b)
	for i := range int64(judging.MostDrawn) + 1 {
		if err := w.Write(model.Call{Client: "c", Object: "o", Op: model.Acquire, Call: 2*i + 1, Return: 2*i + 2, Outcome: model.Failed}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	path, page := filepath.Join(dir, "h.ndjson"), filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	const refused = "no picture: the whole history has 301 operations, and porcupine's page at most 300; without --porcupine the page shows a part of them"
	code, out, _ := simrun(t, "judge", path, "--model", "mutex", "--porcupine", "-o", page)
	if _, err := os.Stat(page); err == nil || code != exitNone || !strings.Contains(out, refused) {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
	if code, _, errs := simrun(t, "judge", path, "--model", "mutex", "--porcupine", "-o", "-"); code != exitUsage || !strings.Contains(errs, refused) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	code, out, _ = simrun(t, "judge", path, "--model", "mutex", "-o", page)
	if _, err := os.Stat(page); err != nil || code != exitNone || !strings.Contains(out, "a picture of the first 26 of 301 operations on o") {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
}

// TestJudgeKnossos judges Jepsen's history of an etcd mutex that Knossos is
// tested with, and found illegal.
func TestJudgeKnossos(t *testing.T) {
	dir := os.Getenv("LOCKPICK_KNOSSOS")
	if dir == "" {
		t.Skip("LOCKPICK_KNOSSOS is not set: see history/testdata/README.md")
	}
	file := filepath.Join(dir, "data", "mutex", "bad", "etcd.edn")
	code, out, errs := simrun(t, "judge", file, "--model", "mutex")
	if code != exitViolation || !strings.Contains(out, "299 more operations failed") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	input, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	h, err := history.Read(history.Options{Kind: model.KindMutex}, history.Input{Reader: input})
	if err != nil {
		t.Fatal(err)
	}
	spec := model.Spec{Kind: model.KindMutex}
	if r := porcupine.CheckOperationsTimeout(objects.Model(spec), objects.Operations(spec, h.Calls), time.Minute); r != porcupine.Illegal {
		t.Errorf("porcupine says %s", r)
	}
}

// TestJudgeDocs: what docs/history-format.md shows can be read, and its worked
// example comes out as it says.
func TestJudgeDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/history-format.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for i, block := range strings.Split(string(text), "```json\n") {
		if i > 0 {
			lines, _, _ := strings.Cut(block, "```")
			shown = append(shown, lines)
		}
	}
	if len(shown) != 2 {
		t.Fatalf("%d histories are shown, want the format and the example", len(shown))
	}
	t.Chdir(t.TempDir())
	for _, lines := range shown {
		if err := os.WriteFile("orders.ndjson", []byte(lines), 0o666); err != nil {
			t.Fatal(err)
		}
		code, out, errs := simrun(t, "judge", "orders.ndjson", "--model", "mutex")
		switch code {
		case exitNone:
		case exitViolation:
			if !strings.Contains(string(text), out) {
				t.Errorf("the worked example comes out as\n%s", out)
			}
		default:
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
	}
}

// TestJudgeComplete offers the kinds behind --model.
func TestJudgeComplete(t *testing.T) {
	if _, out, _ := simrun(t, "complete", "--", "judge", "x", "--model", "re"); out != "reentrant\nreentrant-fenced\nreadwrite\nregister\n" {
		t.Errorf("offered are %q", out)
	}
}
