package callpath

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// Frames are the calls of a stack as [runtime.Callers] fills it in.
func Frames(stack []uintptr) (list []runtime.Frame) {
	if len(stack) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(stack)
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		list = append(list, frame)
	}
	return list
}

// FramesOf are the calls that the goroutine with a number is in; none if there is no such goroutine.
func FramesOf(number string) (list []runtime.Frame) {
	_, text, found := bytes.Cut(append([]byte("\n\n"), allStacks()...), []byte("\n\ngoroutine "+number+" ["))
	if !found {
		return nil
	}
	text, _, _ = bytes.Cut(text, []byte("\n\n"))
	lines := bufio.NewScanner(bytes.NewReader(text))
	for function := ""; lines.Scan(); {
		line := lines.Text()
		place, is := strings.CutPrefix(line, "\t")
		if !is {
			function = line
			continue
		}
		if i := strings.LastIndexByte(function, '('); i > 0 && !strings.HasPrefix(function, "created by ") {
			place, _, _ = strings.Cut(place, " +0x")
			colon := strings.LastIndexByte(place, ':')
			n, _ := strconv.Atoi(place[colon+1:]) // 0 says as much
			list = append(list, runtime.Frame{Function: function[:i], File: place[:max(colon, 0)], Line: n})
		}
	}
	return list
}

// allStacks are the stacks of all goroutines, as the runtime prints them.
func allStacks() []byte {
	for size := 1 << 16; ; size *= 2 {
		dump := make([]byte, size)
		if n := runtime.Stack(dump, true); n < size {
			return dump[:n]
		}
	}
}

// UsersLine finds the line of the user's code in the first list of calls that has one, innermost calls first: the innermost call of
// the program's own module; else that of a lock which the testbed contains; else the outermost of a library. Stack has the calls
// from there outwards to the testbed, and from there inwards to it. Both are empty if there is none.
func UsersLine(lists [][]runtime.Frame) (line, stack string) {
	for _, list := range lists {
		if i := users(list); i >= 0 {
			f := &list[i]
			return path.Join(path.Base(path.Dir(f.File)), path.Base(f.File)) + ":" + strconv.Itoa(f.Line), printed(list)
		}
	}
	return "", ""
}

// users is the index of the call that UsersLine finds, -1 if there is none.
func users(list []runtime.Frame) int {
	found, rank := -1, 0
	for i := range list {
		switch k := kindOf(packageOf(list[i].Function)); {
		case k == testbed || k == standard:
		case k > rank, k == library && rank == library:
			found, rank = i, k
		}
	}
	return found
}

// printed has two lines for each call outside of the testbed and the standard library.
func printed(list []runtime.Frame) string {
	var b strings.Builder
	for i := range list {
		if k := kindOf(packageOf(list[i].Function)); k != testbed && k != standard {
			fmt.Fprintf(&b, "%s\n\t%s:%d\n", list[i].Function, list[i].File, list[i].Line)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// The kinds of packages.
const (
	testbed  = iota // Lockpick, without its locks
	standard        // the standard library
	library         // another module
	builtIn         // a lock of Lockpick's
	own             // the module that was built
)

// lockpick is the module of the testbed.
const lockpick = "github.com/lockpick-dev/lockpick"

// kindOf is the kind of a package.
func kindOf(p string) int {
	rest, ours := within(p, lockpick)
	switch _, main := within(p, ownModule()); {
	case ours && !lockCode(rest):
		return testbed
	case main || p == "main":
		return own
	case ours:
		return builtIn
	case !strings.Contains(strings.SplitN(p, "/", 2)[0], "."):
		return standard
	}
	return library
}

// lockCode reports whether a package of Lockpick, by its path behind the module's, has code that is under test, and not the testbed.
func lockCode(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	switch first {
	case "lock", "examples":
		return true
	}
	return path.Base(p) == "builtin" || strings.HasPrefix(p, "internal/test/") || strings.HasSuffix(p, "_test") || strings.Contains(p, "/testdata/")
}

// within is the part of a package's path behind a module's, if it is in the module or is its external test.
func within(p, module string) (rest string, is bool) {
	rest, is = strings.CutPrefix(p, module)
	if !is || module == "" || rest != "" && rest[0] != '/' && rest != "_test" {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), true
}

// packageOf is the path of a function's package.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return strings.ReplaceAll(function[:slash]+name, "%2e", ".")
}

// ownModule is the path of the module that the program was built from, empty if that is not known.
var ownModule = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Path
	}
	return ""
})
