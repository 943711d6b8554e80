package testbinary

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// keptDir is where found cases are kept, below the directory of the package.
const keptDir = "testdata/simrun"

// home is where the test binary was started, which is its package's directory.
var home, homeErr = os.Getwd()

// Absolute is a path that is relative to the package's directory, or absolute.
func Absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(home, filepath.FromSlash(path))
}

// Relative is a path as it is given on the command line.
func Relative(path string) string {
	if r, err := filepath.Rel(home, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}

// CaseName says why a case is kept, as a part of a file's name: a property, with _limit
// behind it if it is violated as a limit, or a kind of trouble.
func CaseName(t *traces.Trace) string {
	if t.Trouble != nil {
		return t.Trouble.Kind
	}
	return ViolationName(t.Violation())
}

// ViolationName is the name of a case of a violation.
func ViolationName(v model.Violation) string {
	if v.Limit {
		return v.Property + "_limit"
	}
	return v.Property
}

// CaseFile is the name of the file of a case.
func CaseFile(t *traces.Trace) string { return caseFile(t, 1) }

// caseFile is the name of the n-th file of one scenario that is kept for the same.
func caseFile(t *traces.Trace, n int) string {
	name := t.Scenario + "_" + CaseName(t)
	if n > 1 {
		name = fmt.Sprintf("%s_%d", name, n)
	}
	return wording.FileName(name) + ".json"
}

// Keep writes a case of a call to where it will be tried first next time. The path
// is relative to the package's directory. What is there already stays.
func Keep(call traces.Test, t *traces.Trace) (path string, err error) {
	dir := keptDir + "/" + dirOf(call)
	if err := os.MkdirAll(Absolute(dir), 0o777); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path = dir + "/" + caseFile(t, n)
		file := Absolute(path)
		if _, err := os.Lstat(file); err != nil {
			return path, traces.WriteFile(file, t)
		}
		if old, err := traces.ReadFile(file); err == nil && reflect.DeepEqual(old.Tape, t.Tape) && slices.Equal(old.Parameters, t.Parameters) {
			return path, nil // it is the same
		}
	}
}

// Overwrite writes a case of a call to where Keep would. It replaces an earlier one of the
// same scenario and [CaseName].
func Overwrite(call traces.Test, t *traces.Trace) (path string, err error) {
	path = keptDir + "/" + dirOf(call) + "/" + CaseFile(t)
	if err := os.MkdirAll(filepath.Dir(Absolute(path)), 0o777); err != nil {
		return "", err
	}
	t.StillConfirmedAt(Absolute(path))
	return path, traces.WriteFile(Absolute(path), t)
}

// Kept are the absolute paths of the cases that a call has kept of a scenario, in order.
func Kept(call traces.Test, scenario string) []string {
	files, _ := filepath.Glob(filepath.Join(Absolute(keptDir), filepath.FromSlash(dirOf(call)), wording.FileName(scenario)+"_*.json")) // the pattern is well-formed
	slices.Sort(files)
	return files
}

// OutPath is where the trace of a call's finding goes with -simrun.out, empty without.
func OutPath(call traces.Test, t *traces.Trace) string {
	if Out() == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Join(Out(), dirOf(call), CaseFile(t)))
}

// dirOf is the directory of a call, below one for all: the test's name, a
// directory for each level of subtests.
func dirOf(call traces.Test) string {
	parts := strings.Split(call.Name, "/")
	for i, part := range parts {
		parts[i] = wording.FileName(part)
	}
	if call.Call > 1 {
		parts = append(parts, fmt.Sprintf("call-%d", call.Call))
	}
	return strings.Join(parts, "/")
}
