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

// Frames returns the calls of a stack as [runtime.Callers] fills it in.
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

// A Dump has the stacks of all goroutines, as the runtime prints them.
type Dump []byte

// FramesOf returns the calls that the goroutine with a number is in; none if there is no such goroutine.
func (d Dump) FramesOf(number string) (list []runtime.Frame) {
	_, text, found := bytes.Cut(d, []byte("\n\ngoroutine "+number+" ["))
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

// AllStacks returns the stacks of all goroutines. It stops the world.
func AllStacks() Dump {
	for size := 1 << 16; ; size *= 2 {
		dump := make([]byte, size)
		if n := runtime.Stack(dump, true); n < size {
			return append(Dump("\n\n"), dump[:n]...)
		}
	}
}

// Code says which of the user's code a stack has. A line is a file's path in its module, or that of a library as it is
// imported, with the number of the line.
type Code struct {
	// Inner is the innermost line, and Outer the outermost, of the program's own module; if there is none, of a lock that the
	// testbed contains; else both are the outermost line of a library. They are empty if there is none of these.
	Inner, Outer string
	// Hired is set if neither the user nor the testbed has started the goroutine, and no line is the user's: it may work for others.
	Hired bool

	rank, inner int
}

// CodeOf returns the user's code in a stack as [runtime.Callers] fills it in.
func CodeOf(stack []uintptr) Code { return codes.For(stack) }

var codes = Of(func(stack []uintptr) Code { return CodeIn(Frames(stack)) })

// CodeIn returns the user's code in the calls of a stack, innermost calls first.
func CodeIn(list []runtime.Frame) Code {
	c, outer, hired := Code{rank: standard, inner: -1}, -1, false
	for i := range list {
		k := kindOf(packageOf(list[i].Function))
		if f := list[i].Function; f != "" && f != "runtime.goexit" {
			hired = k != testbed
		}
		if k < library || k < c.rank {
			continue
		}
		if k > c.rank || k == library {
			c.rank, c.inner = k, i
		}
		outer = i
	}
	if outer >= 0 {
		c.Inner, c.Outer = place(&list[c.inner]), place(&list[outer])
	}
	c.Hired = hired && c.rank <= library
	return c
}

// Or returns the code, or the other if that is rather the user's.
func (c Code) Or(other Code) Code {
	if other.rank > c.rank {
		return other
	}
	return c
}

// UsersLine returns the innermost line of the user's code in the list of calls that has the best, and in the first of those. Stack has the
// calls from there outwards to the testbed, and from there inwards to it. Both are empty if there is none.
func UsersLine(lists [][]runtime.Frame) (line, stack string) {
	var best Code
	for _, list := range lists {
		if c := CodeIn(list); c.Inner != "" && (line == "" || c.rank > best.rank) {
			best, line, stack = c, c.Inner, printed(list)
		}
	}
	return line, stack
}

// place returns the line of a call: the same on all machines, whatever the directory of its module.
func place(f *runtime.Frame) string {
	p := packageOf(f.Function)
	dir := path.Base(path.Dir(f.File))
	if p == "main" && mainPackage() != "" {
		p = mainPackage()
	}
	if !strings.HasSuffix(dir, "_test") {
		p = strings.TrimSuffix(p, "_test")
	}
	if rest, is := within(p, ownModule()); is {
		dir = rest
	} else if rest, is := within(p, lockpick); is {
		dir = rest
	} else if p != "main" {
		dir = p
	}
	return path.Join(dir, path.Base(f.File)) + ":" + strconv.Itoa(f.Line)
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

// kindOf returns the kind of a package.
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
	first, rest, _ := strings.Cut(p, "/")
	switch first {
	case "lock", "examples":
		return true
	}
	second, _, _ := strings.Cut(rest, "/")
	return strings.HasSuffix(second, "locks") || // of a module of its own
		path.Base(p) == "builtin" || strings.HasPrefix(p, "internal/test/") || strings.HasSuffix(p, "_test") || strings.Contains(p, "/testdata/")
}

// within returns the part of a package's path behind a module's, if it is in the module or is its external test.
func within(p, module string) (rest string, is bool) {
	rest, is = strings.CutPrefix(p, module)
	if !is || module == "" || rest != "" && rest[0] != '/' && rest != "_test" {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), true
}

// packageOf returns the path of a function's package.
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

// mainPackage is the path of the package main of the program, empty if that is not known, or made by go test.
var mainPackage = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "command-line-arguments" || strings.HasSuffix(info.Path, ".test") {
		return ""
	}
	return info.Path
})
