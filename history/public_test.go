package history

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/history/internal/edn"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
)

// The public histories that porcupine is tested with come with its module, which
// the tests read where the go command keeps it; testdata/README.md says more.
// The models are the tests' own, since no kind here is strings that are appended to: what is
// tested is that histories are read as those who published them meant it. Registers are judged by
// the model of their kind as well.

// porcupineDir is where porcupine's module is.
func porcupineDir(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/anishathalye/porcupine").Output()
	dir := strings.TrimSpace(string(out))
	if _, statErr := os.Stat(filepath.Join(dir, "test_data")); err != nil || statErr != nil {
		t.Skipf("porcupine's module is not at hand with its test data: %v %v", err, statErr)
	}
	return dir
}

// check reads EDN and asks porcupine.
func check(t *testing.T, text string, m porcupine.Model) bool {
	t.Helper()
	r, err := pairJepsen(strings.NewReader(text), MaxCalls)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.ops)+len(r.notes) == 0 {
		t.Fatal("nothing was read")
	}
	var ops []porcupine.Operation
	for i := range r.ops {
		op := &r.ops[i]
		end := op.ret
		if op.outcome == model.Unknown {
			end = r.events + int64(i) + 1
		}
		ops = append(ops, porcupine.Operation{ClientId: i, Input: op, Output: op, Call: op.call, Return: end})
	}
	return porcupine.CheckOperations(m, ops)
}

// TestPorcupineEtcd reads Jepsen's logs of an etcd register, 102 of them, and
// comes to the verdicts that porcupine's own tests state.
func TestPorcupineEtcd(t *testing.T) {
	slowtest.SkipIfShort(t)
	dir := porcupineDir(t)
	source, err := os.ReadFile(filepath.Join(dir, "porcupine_test.go"))
	if err != nil {
		t.Skip(err)
	}
	stated := regexp.MustCompile(`checkJepsen\(t, (\d+), (true|false)\)`).FindAllStringSubmatch(string(source), -1)
	if len(stated) < 100 {
		t.Fatalf("porcupine's tests state %d verdicts", len(stated))
	}
	if os.Getenv("LOCKPICK_LONG") == "" {
		stated = stated[:25]
	}
	for _, s := range stated {
		n, _ := strconv.Atoi(s[1]) // digits
		log, err := os.ReadFile(filepath.Join(dir, "test_data", "jepsen", fmt.Sprintf("etcd_%03d.log", n)))
		if err != nil {
			t.Fatal(err)
		}
		if got := check(t, logToEDN(log), casModel()); got != (s[2] == "true") {
			t.Errorf("log %d: legal is %v, and published %s", n, got, s[2])
		}
		if got := checkRegister(t, logToEDN(log)); got != (s[2] == "true") {
			t.Errorf("log %d: legal as a register is %v, and published %s", n, got, s[2])
		}
	}
}

// checkRegister reads EDN of a register, and asks porcupine by its model. One that has no value at first has one that nobody writes.
func checkRegister(t *testing.T, text string) bool {
	t.Helper()
	h, err := Read(Options{Kind: model.KindRegister}, Input{Reader: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return legal(model.Spec{Kind: model.KindRegister, Initial: -1}, h.Calls)
}

var logLine = regexp.MustCompile(`^INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(.*)$`)

// logToEDN makes maps of the lines of a log.
func logToEDN(log []byte) string {
	var out strings.Builder
	for line := range bytes.Lines(log) {
		if m := logLine.FindSubmatch(bytes.TrimSpace(line)); m != nil {
			fmt.Fprintf(&out, "{:process %s :type :%s :f :%s :value %s}\n", m[1], m[2], m[3], m[4])
		}
	}
	return out.String()
}

// casModel is a register with compare-and-set, nil at first. An exchange that
// failed says that the value was another one.
func casModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return "nil" },
		Step: func(state, in, _ any) (bool, any) {
			op := in.(*jepsenOp)
			switch op.f {
			case "read":
				return op.outcome != model.OK || op.answered.String() == state, state
			case "write":
				return true, op.asked.String()
			}
			from, to := op.asked.Items[0].String(), op.asked.Items[1].String()
			if from != state {
				return op.outcome != model.OK, state
			}
			return op.outcome != model.Failed, to
		},
	}
}

// TestKnossos reads Knossos' histories of compare-and-set registers, whose
// directories say whether they are legal. To Knossos what failed says nothing,
// nor does a read of nil.
func TestKnossos(t *testing.T) {
	dir := os.Getenv("LOCKPICK_KNOSSOS")
	if dir == "" {
		t.Skip("LOCKPICK_KNOSSOS is not set: see testdata/README.md")
	}
	m := casModel()
	step := m.Step
	m.Step = func(state, in, out any) (bool, any) {
		op := in.(*jepsenOp)
		if op.outcome == model.Failed || op.f == "read" && op.answered.Kind == edn.Nil {
			return true, state
		}
		return step(state, in, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "cas-register", "*", "*.edn"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		legal := filepath.Base(filepath.Dir(file)) == "good"
		if got := check(t, string(text), m); got != legal {
			t.Errorf("%s: legal is %v", file, got)
		}
		if got := checkRegister(t, string(text)); got != legal {
			t.Errorf("%s: legal as a register is %v", file, got)
		}
	}
}

// TestPorcupineKV reads the histories of a store of strings, whose names say
// whether they are legal.
func TestPorcupineKV(t *testing.T) {
	dir := filepath.Join(porcupineDir(t), "test_data", "kv")
	key := regexp.MustCompile(`:key ("[^"]*"), :value ("[^"]*"|nil)`)
	names := []string{"c01-ok", "c01-bad", "c10-ok", "c10-bad"}
	if os.Getenv("LOCKPICK_LONG") != "" {
		names = append(names, "c50-ok", "c50-bad")
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		pairs := key.ReplaceAllString(string(text), ":value [$1 $2]")
		if got := check(t, pairs, kvModel()); got != strings.HasSuffix(name, "ok") {
			t.Errorf("%s: legal is %v", name, got)
		}
	}
}

// kvModel is a string that is put, appended to and got, one for each key.
func kvModel() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			at := make(map[string]int)
			for _, op := range history {
				key := op.Input.(*jepsenOp).asked.Items[0].Text
				if _, ok := at[key]; !ok {
					at[key] = len(parts)
					parts = append(parts, nil)
				}
				parts[at[key]] = append(parts[at[key]], op)
			}
			return parts
		},
		Init: func() any { return "" },
		Step: func(state, in, _ any) (bool, any) {
			op := in.(*jepsenOp)
			value := op.asked.Items[1].Text
			switch op.f {
			case "put":
				return true, value
			case "append":
				return true, state.(string) + value
			}
			return op.answered.Kind == edn.Vector && op.answered.Items[1].Text == state, state
		},
	}
}
