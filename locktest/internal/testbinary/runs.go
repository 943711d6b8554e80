package testbinary

import (
	"flag"
	"regexp"
	"strings"

	"github.com/lockpick-dev/lockpick/traces"
)

// Elsewhere reports whether the trace of -simrun.replay or -simrun.shrink is of a test that this
// command does not run: one of another package, or one that go test's -run leaves out. A flag
// that is set in the environment applies to all packages of a command, so that this is no
// mistake.
func Elsewhere(of traces.Test) bool {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "simrun.replay" || f.Name == "simrun.shrink" })
	return given && (of.Package != PackagePath() || !selected(flagValue("test.run"), of.Name))
}

func flagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// selected reports whether go test's -run selects a test. Go splits the pattern first at bars
// and then at slashes, where these are not in brackets.
func selected(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	parts := strings.Split(name, "/")
	for _, alternative := range splitOutside(pattern, '|') {
		fits := true
		for i, p := range splitOutside(alternative, '/') {
			re, err := regexp.Compile(p)
			if err != nil {
				return true // go test says so
			}
			fits = fits && (i >= len(parts) || re.MatchString(parts[i]))
		}
		if fits {
			return true
		}
	}
	return false
}

// splitOutside splits a regular expression at a byte that is in no brackets and not escaped.
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
