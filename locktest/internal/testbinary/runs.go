package testbinary

import (
	"flag"
	"fmt"
	"regexp"
	"strings"

	"github.com/lockpick-dev/lockpick/traces"
)

// Elsewhere reports whether the trace of -simrun.replay is of a test that this command does not run: one of another
// package, or one that go test's -run leaves out. That is no mistake: a flag set in the environment applies to all
// packages of a command.
func Elsewhere(of traces.Test) bool {
	given := false
	flag.Visit(func(f *flag.Flag) {
		given = given || f.Name == "simrun.replay"
	})
	return given && (of.Package != PackagePath() || !selected(flagValue("test.run"), of.Name))
}

func flagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// Selects reports whether go test's -run and -skip select the next subtest of a name that a call makes: go test numbers
// subtests of one name.
func Selects(call traces.Test, subtest string) bool {
	name := call.Name + "/" + subtest
	calls.Lock()
	defer calls.Unlock()
	of := calls.of[call.Name]
	if n := of.subtests[subtest]; n > 0 {
		name += fmt.Sprintf("#%02d", n)
	}
	of.subtests[subtest]++
	return selected(flagValue("test.run"), name) && !skipped(flagValue("test.skip"), name)
}

// FailFast reports whether go test must run nothing after the first failure.
func FailFast() bool { return flagValue("test.failfast") == "true" }

// selected reports whether go test's -run selects a test.
func selected(pattern, name string) bool {
	ok, _ := matches(pattern, name)
	return pattern == "" || ok
}

// skipped reports whether go test's -skip leaves a test out. A test runs if only some of its subtests are left out.
func skipped(pattern, name string) bool {
	ok, partial := matches(pattern, name)
	return pattern != "" && ok && !partial
}

// matches reports whether a test's name matches a pattern as far as both go, and partial if the pattern is longer. Go
// splits the pattern first at bars and then at slashes, where these are not in brackets. The first alternative that
// matches decides.
func matches(pattern, name string) (ok, partial bool) {
	parts := strings.Split(name, "/")
	for _, alternative := range splitOutside(pattern, '|') {
		fits, levels := true, splitOutside(alternative, '/')
		for i, p := range levels {
			re, err := regexp.Compile(p)
			if err != nil {
				return true, false // go test says so
			}
			fits = fits && (i >= len(parts) || re.MatchString(parts[i]))
		}
		if fits {
			return true, len(parts) < len(levels)
		}
	}
	return false, false
}

// splitOutside splits a regular expression at a byte that is neither in brackets nor escaped.
func splitOutside(s string, at byte) (list []string) {
	brackets, parentheses, begin := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			brackets++
		case ']':
			brackets = max(0, brackets-1)
		case '(':
			if brackets == 0 {
				parentheses++
			}
		case ')':
			if brackets == 0 {
				parentheses--
			}
		case '\\':
			i++
		case at:
			if brackets == 0 && parentheses == 0 {
				list = append(list, s[begin:i])
				begin = i + 1
			}
		}
	}
	return append(list, s[begin:])
}
