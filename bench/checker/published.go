package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// known is what became of porcupine's own published cases: histories of etcd that
// Jepsen recorded, and of a key-value store, which come with its source, as do
// the verdicts, in its tests. That porcupine, as it is used here, gives them
// shows that the baseline is right.
type known struct {
	etcd, kv           int
	etcdTime, kvTime   time.Duration
	illegal, undecided int
	wrong              []string
}

func (k known) String() string {
	if k.etcd+k.kv == 0 {
		return "Porcupine's own published cases were left out."
	}
	s := fmt.Sprintf("Porcupine's own published cases, in the same run: %d histories of etcd by Jepsen in %s and %d of a key-value store in %s. "+
		"%d are illegal. Porcupine gave the published verdict on all but %d.",
		k.etcd, rounded(k.etcdTime), k.kv, rounded(k.kvTime), k.illegal, len(k.wrong))
	if k.undecided > 0 {
		s += fmt.Sprintf(" (On %d it was stopped.)", k.undecided)
	}
	return s
}

// porcupineVersion is the version that is measured.
func porcupineVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/anishathalye/porcupine" {
				return m.Version
			}
		}
	}
	return "of unknown version"
}

// The published verdicts, as porcupine's tests state them.
var (
	etcdVerdict = regexp.MustCompile(`checkJepsen\(t, (\d+), (true|false)\)`)
	kvVerdict   = regexp.MustCompile(`checkKv\(t, "([a-z0-9-]+)", (true|false), true\)`)
)

// published judges the published cases, in the directory of porcupine's source.
func published(dir string, limit time.Duration) (known, error) {
	var k known
	switch dir {
	case "-":
		return k, nil
	case "":
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/anishathalye/porcupine").Output()
		if err != nil {
			return k, fmt.Errorf("where porcupine's source is: %w; name it with -porcupine", err)
		}
		dir = strings.TrimSpace(string(out))
	}
	tests, err := os.ReadFile(filepath.Join(dir, "porcupine_test.go"))
	if err != nil {
		return k, fmt.Errorf("porcupine's published verdicts: %w", err)
	}
	judge := func(file, legal string, m porcupine.Model, parse func(string) (parsed, bool)) (time.Duration, error) {
		progress(file)
		events, err := events(filepath.Join(dir, "test_data", file), parse)
		if err != nil {
			return 0, err
		}
		start := time.Now()
		result := porcupine.CheckEventsTimeout(m, events, patience*limit)
		switch want := map[string]porcupine.CheckResult{"true": porcupine.Ok, "false": porcupine.Illegal}[legal]; {
		case result == porcupine.Unknown:
			k.undecided++
			fallthrough
		case result != want:
			k.wrong = append(k.wrong, fmt.Sprintf("%s: porcupine says %s, published is %s", file, result, want))
		case result == porcupine.Illegal:
			k.illegal++
		}
		return time.Since(start), nil
	}
	for _, v := range etcdVerdict.FindAllStringSubmatch(string(tests), -1) {
		d, err := judge(fmt.Sprintf("jepsen/etcd_%03s.log", v[1]), v[2], registerModel, etcdLine)
		if err != nil {
			return k, err
		}
		k.etcd++
		k.etcdTime += d
	}
	for _, v := range kvVerdict.FindAllStringSubmatch(string(tests), -1) {
		d, err := judge("kv/"+v[1]+".txt", v[2], storeModel, kvLine)
		if err != nil {
			return k, err
		}
		k.kv++
		k.kvTime += d
	}
	if k.etcd == 0 || k.kv == 0 {
		return k, fmt.Errorf("%s: no verdicts found in porcupine_test.go", dir)
	}
	return k, nil
}

// parsed is a line of a log: a call, or its answer.
type parsed struct {
	process, kind, op, key, value string
}

var (
	etcdPattern = regexp.MustCompile(`^INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(.+)$`)
	kvPattern   = regexp.MustCompile(`^{:process (\d+), :type :(\w+), :f :(\w+), :key "(.*)", :value (.*)}$`)
)

func etcdLine(line string) (parsed, bool) {
	m := etcdPattern.FindStringSubmatch(line)
	if m == nil || m[2] == "info" || m[4] == ":timed-out" && m[3] != "read" {
		return parsed{}, false
	}
	return parsed{process: m[1], kind: m[2], op: m[3], value: m[4]}, true
}

func kvLine(line string) (parsed, bool) {
	m := kvPattern.FindStringSubmatch(line)
	if m == nil {
		return parsed{}, false
	}
	return parsed{m[1], m[2], m[3], m[4], strings.Trim(m[5], `"`)}, true
}

// events reads a log. What was not answered returns at the end, and nothing is
// known of it.
func events(file string, parse func(string) (parsed, bool)) ([]porcupine.Event, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it is only read
	var list []porcupine.Event
	open := map[string]int{} // by process, the event's id
	calls := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p, ok := parse(lines.Text())
		id, under := open[p.process]
		switch {
		case !ok:
		case p.kind == "invoke":
			open[p.process] = calls
			list = append(list, porcupine.Event{Kind: porcupine.CallEvent, Value: p, Id: calls})
			calls++
		case under:
			delete(open, p.process)
			list = append(list, porcupine.Event{Kind: porcupine.ReturnEvent, Value: p, Id: id})
		}
	}
	var rest []int
	for _, id := range open { // unordered: they are sorted below
		rest = append(rest, id)
	}
	slices.Sort(rest)
	for _, id := range rest {
		list = append(list, porcupine.Event{Kind: porcupine.ReturnEvent, Value: parsed{}, Id: id})
	}
	return list, lines.Err()
}

// registerModel is a register that is read, written, and compared and set. It
// begins without a value.
var registerModel = porcupine.Model{
	Init: func() any { return "nil" },
	Step: func(state, input, output any) (bool, any) {
		value, in, out := state.(string), input.(parsed), output.(parsed)
		unknown := out.kind == "" || out.value == ":timed-out"
		switch in.op {
		case "read":
			return unknown || out.value == value, value
		case "write":
			return true, in.value
		}
		from, to, _ := strings.Cut(strings.Trim(in.value, "[]"), " ")
		if from == value {
			return unknown || out.kind == "ok", to
		}
		return unknown || out.kind == "fail", value
	},
}

// patience is how many times longer a published case may take than one that is
// measured: those are to be decided.
const patience = 20

// storeModel is a key-value store, each key by itself, whose values are put and
// appended to.
var storeModel = porcupine.Model{
	PartitionEvent: func(history []porcupine.Event) [][]porcupine.Event {
		var parts [][]porcupine.Event
		at, of := map[string]int{}, map[int]int{}
		for _, e := range history {
			if e.Kind == porcupine.CallEvent {
				key := e.Value.(parsed).key
				if _, known := at[key]; !known {
					at[key] = len(parts)
					parts = append(parts, nil)
				}
				of[e.Id] = at[key]
			}
			parts[of[e.Id]] = append(parts[of[e.Id]], e)
		}
		return parts
	},
	Init: func() any { return "" },
	Hash: func(state any) uint64 {
		h := fnv.New64a()
		_, _ = io.WriteString(h, state.(string)) // a hash takes everything
		return h.Sum64()
	},
	Step: func(state, input, output any) (bool, any) {
		value, in, out := state.(string), input.(parsed), output.(parsed)
		switch in.op {
		case "get":
			return out.kind == "" || out.value == value, value
		case "put":
			return true, in.value
		}
		return true, value + in.value
	},
}
