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

// keptDir is the directory of kept cases, below that of the package.
const keptDir = "testdata/simrun"

// home is the directory in which the test binary was started: its package's.
var home, homeErr = os.Getwd()

// Absolute returns a path as an absolute one. A relative path is below the package's directory.
func Absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(home, filepath.FromSlash(path))
}

// Relative returns a path as given on the command line.
func Relative(path string) string {
	if r, err := filepath.Rel(home, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}

// CaseName returns the part of a case's file name that says why it is kept: a property, with _limit appended if it is
// violated as a limit, or a kind of trouble.
func CaseName(t *traces.Trace) string {
	if t.Trouble != nil {
		return t.Trouble.Kind
	}
	return ViolationName(t.Violation())
}

// ViolationName returns the name of a case of a violation.
func ViolationName(v model.Violation) string {
	if v.Limit {
		return v.Property + "_limit"
	}
	return v.Property
}

// CaseFile returns the name of the file of a case.
func CaseFile(t *traces.Trace) string { return caseFile(t, 1) }

// caseFile returns the name of the n-th file of one scenario and CaseName.
func caseFile(t *traces.Trace, n int) string {
	name := t.Scenario + "_" + CaseName(t)
	if n > 1 {
		name = fmt.Sprintf("%s_%d", name, n)
	}
	return wording.FileName(name) + ".json"
}

// Keep writes a case of a call to where it will be tried first next time. The path is relative to the package's directory.
// An existing file is not changed.
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

// Overwrite writes a case of a call to where Keep would. It replaces an earlier one of the same scenario and [CaseName].
func Overwrite(call traces.Test, t *traces.Trace) (path string, err error) {
	path = keptDir + "/" + dirOf(call) + "/" + CaseFile(t)
	if err := os.MkdirAll(filepath.Dir(Absolute(path)), 0o777); err != nil {
		return "", err
	}
	t.StillConfirmedAt(Absolute(path))
	return path, traces.WriteFile(Absolute(path), t)
}

// Kept returns the absolute paths of the cases that a call has kept of a scenario, in order.
func Kept(call traces.Test, scenario string) []string {
	files, _ := filepath.Glob(filepath.Join(Absolute(keptDir), filepath.FromSlash(dirOf(call)), wording.FileName(scenario)+"_*.json")) // the pattern is well-formed
	slices.Sort(files)
	return files
}

// OutPath returns the path of the trace of a call's finding with -simrun.out, empty without.
func OutPath(call traces.Test, t *traces.Trace) string {
	if Out() == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Join(Out(), dirOf(call), CaseFile(t)))
}

// dirOf returns the directory of a call, below one for all calls: the test's name, with a directory for each level of
// subtests.
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
