package simredis

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	json "github.com/alicebob/miniredis/v2/gopher-json"
	lua "github.com/yuin/gopher-lua"
)

// interpreter is the Lua of a node. As in Redis all scripts share it, and none can
// write to shared tables: the globals that they see are an empty table that reads
// through to the real one.
type interpreter struct {
	node    *Node
	state   *lua.LState
	globals *lua.LTable
	onError *lua.LFunction
	out     *output // the answers to the commands of scripts

	// The state for using the interpreter again.
	environment *lua.LTable
	shared      []*sharedTable
	failed      bool // a script has failed
	touched     bool // a script was not harmless

	random48 uint64 // the state of math.random

	// While a script runs:
	request  *request
	readOnly bool
	panicked any // the value of a panic of the simulation itself
}

func newInterpreter(n *Node) *interpreter {
	l := lua.NewState(lua.Options{
		SkipOpenLibs: true, MinimizeStackMemory: true, CallStackSize: 1024,
		RegistrySize: 1024, RegistryMaxSize: 1 << 20,
	})
	i := &interpreter{node: n, state: l, globals: l.Env, out: newOutput(), random48: firstRandom48}
	i.onError = l.NewFunction(locate)
	i.openLibraries()
	for _, name := range libraries {
		i.refuseAbsent(name)
		i.globals.RawSetString(name, sealed(l, i.library(name)))
	}
	i.globals.Metatable = l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"__index": func(l *lua.LState) int {
		if name := l.Get(2).String(); slices.Contains(absent[""], name) {
			i.unsupported("Lua's " + name)
		}
		l.RaiseError("Script attempted to access nonexistent global variable '%s'", l.Get(2).String())
		return 0
	}})
	l.Env = sealed(l, i.globals)
	i.globals.RawSetString("_G", l.Env)
	i.environment = l.Env
	return i
}

// libraries are the tables that scripts find among their globals.
var libraries = []string{lua.TabLibName, lua.StringLibName, lua.MathLibName, lua.CoroutineLibName, "cjson", "redis"}

// absent are the globals, and the members of libraries, that scripts find in some version of Redis or Valkey, and not here.
var absent = map[string][]string{
	"":             {"bit", "struct", "cmsgpack", "os", "server", "gcinfo"},
	lua.TabLibName: {"foreach", "foreachi", "setn"},
	"redis":        {"acl_check_cmd", "breakpoint", "debug"},
	"cjson": {
		"null", "new", "encode_sparse_array", "encode_max_depth", "decode_max_depth", "encode_number_precision", "encode_keep_buffer",
		"encode_invalid_numbers", "decode_invalid_numbers", "decode_array_with_array_mt", "array_mt", "empty_array_mt", "empty_array", "_NAME", "_VERSION",
	},
}

// refuseAbsent makes the absent members of a library fail the run, and nil.
func (i *interpreter) refuseAbsent(name string) {
	l, list := i.state, absent[name]
	if list == nil {
		return
	}
	i.library(name).Metatable = l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"__index": func(l *lua.LState) int {
		if member := l.Get(2).String(); slices.Contains(list, member) {
			i.unsupported("Lua's " + name + "." + member)
		}
		return 0
	}})
}

// unsupported fails the run, because a running script uses an unsupported feature.
func (i *interpreter) unsupported(what string) {
	if i.request != nil {
		i.request.conn.unsupported(what + " in scripts")
	}
}

func (i *interpreter) library(name string) *lua.LTable {
	return i.globals.RawGetString(name).(*lua.LTable)
}

// openLibraries fills the globals with the libraries that Redis lets scripts use.
func (i *interpreter) openLibraries() {
	l := i.state
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable, lua.OpenString, lua.OpenMath, lua.OpenCoroutine} {
		l.Push(l.NewFunction(open))
		l.Call(0, 0)
	}
	for _, name := range []string{"dofile", "loadfile", "module", "print", "require", "_printregs", "_GOPHER_LUA_VERSION"} {
		i.globals.RawSetString(name, lua.LNil)
	}
	i.globals.RawSetString("pcall", l.NewFunction(pcall))
	l.SetFuncs(i.library(lua.MathLibName), map[string]lua.LGFunction{"random": i.random, "randomseed": i.randomSeed})
	l.Push(l.NewFunction(json.Loader))
	l.Call(0, 1)
	i.globals.RawSetString("cjson", l.Get(-1))
	l.Pop(1)
	i.globals.RawSetString("redis", i.api())
	i.fixNumbers()
}

// sealed returns a table that shows another and cannot be written to.
func sealed(l *lua.LState, t *lua.LTable) *lua.LTable {
	meta := l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"__newindex": func(l *lua.LState) int {
		l.RaiseError("Attempt to modify a readonly table")
		return 0
	}})
	meta.RawSetString("__index", t)
	meta.RawSetString("__metatable", lua.LFalse)
	proxy := l.NewTable()
	proxy.Metatable = meta
	return proxy
}

// api returns the table redis of scripts.
func (i *interpreter) api() *lua.LTable {
	t := i.state.SetFuncs(i.state.NewTable(), map[string]lua.LGFunction{
		"call":               func(l *lua.LState) int { return i.call(l, true) },
		"pcall":              func(l *lua.LState) int { return i.call(l, false) },
		"error_reply":        errorReply,
		"status_reply":       statusReply,
		"sha1hex":            sha1hex,
		"log":                func(*lua.LState) int { return 0 },
		"setresp":            i.onlyIf("redis.setresp(3)", 2),
		"set_repl":           i.onlyIf("redis.set_repl with anything but redis.REPL_ALL", replAll),
		"replicate_commands": func(l *lua.LState) int { l.Push(lua.LTrue); return 1 },
	})
	for name, v := range map[string]lua.LNumber{ // unordered: distinct keys of one table
		"LOG_DEBUG": 0, "LOG_VERBOSE": 1, "LOG_NOTICE": 2, "LOG_WARNING": 3,
		"REPL_NONE": 0, "REPL_AOF": 1, "REPL_SLAVE": 2, "REPL_REPLICA": 2, "REPL_ALL": replAll,
		"REDIS_VERSION_NUM": versionNumber,
	} {
		t.RawSetString(name, v)
	}
	t.RawSetString("REDIS_VERSION", lua.LString(version))
	return t
}

const (
	replAll       = 3
	versionNumber = 0x070204
)

// onlyIf returns a function that does nothing, and supports only the given argument.
func (i *interpreter) onlyIf(what string, argument lua.LNumber) lua.LGFunction {
	return func(l *lua.LState) int {
		if l.Get(1) != argument {
			i.unsupported(what)
			l.Error(failure(l, "ERR the simulated Redis does not support "+what), 1)
		}
		return 0
	}
}

// run executes a script and answers with its result.
func (i *interpreter) run(s *script, r *request, keys, args []string) {
	l := i.state
	i.request, i.readOnly = r, strings.HasSuffix(r.name, "_ro")
	i.touched = i.touched || !s.harmless
	i.globals.RawSetString("KEYS", list(l, keys))
	i.globals.RawSetString("ARGV", list(l, args))
	l.Push(l.NewFunctionFromProto(s.code))
	err := l.PCall(0, 1, i.onError)
	i.request = nil
	i.failed = i.failed || err != nil || i.panicked != nil
	if i.panicked != nil {
		panic(i.panicked)
	}
	if err != nil {
		r.out.WriteError(explain(err, s.hash))
		return
	}
	result := l.Get(-1)
	l.Pop(1)
	writeLua(r.out, result)
}

func list(l *lua.LState, items []string) *lua.LTable {
	t := l.CreateTable(len(items), 0)
	for _, s := range items {
		t.Append(lua.LString(s))
	}
	return t
}

// call executes redis.call or, if raise is false, redis.pcall, which returns errors.
func (i *interpreter) call(l *lua.LState, raise bool) int {
	words, failed := arguments(l)
	var reply []byte
	if failed == "" {
		reply, failed = i.guarded(words)
	}
	switch {
	case failed == "":
		v, _ := parseReply(l, reply)
		l.Push(v)
	case raise:
		l.Error(failure(l, failed), 1)
	default:
		l.Push(failure(l, failed))
	}
	return 1
}

// guarded executes a command. Lua takes any panic for an error of the script: a
// panic of the simulation is kept until the script has ended.
func (i *interpreter) guarded(words []string) (reply []byte, failed string) {
	defer func() {
		if p := recover(); p != nil {
			i.panicked = p
			panic(p)
		}
	}()
	return i.node.callFromScript(i, words)
}

func arguments(l *lua.LState) (words []string, failed string) {
	if l.GetTop() == 0 {
		return nil, "ERR Please specify at least one argument for this redis lib call"
	}
	for i := range l.GetTop() {
		switch v := l.Get(i + 1).(type) {
		case lua.LString:
			words = append(words, string(v))
		case lua.LNumber:
			words = append(words, formatNumber(float64(v), callDigits))
		default:
			return nil, "ERR Lua redis lib command arguments must be strings or integers"
		}
	}
	return words, ""
}

// single returns a table of one field. It is given its size, because the default is
// large.
func single(l *lua.LState, name string, v lua.LValue) *lua.LTable {
	t := l.CreateTable(0, 1)
	t.RawSetString(name, v)
	return t
}

// failure returns an error as scripts see it: a table.
func failure(l *lua.LState, text string) *lua.LTable {
	return single(l, "err", lua.LString(text))
}

// locate adds its place to an error. It must be called while the stack is still that of
// the error.
func locate(l *lua.LState) int {
	t, ok := l.Get(1).(*lua.LTable)
	if !ok {
		text, ok := stringOf(l.Get(1))
		if !ok {
			text = l.Get(1).String()
		}
		t = failure(l, "ERR "+text)
	}
	for level := 1; ; level++ {
		d, ok := l.GetStack(level)
		if !ok {
			break
		}
		if _, err := l.GetInfo("Sl", d, nil); err == nil && d.CurrentLine > 0 {
			t.RawSetString("source", lua.LString("@"+d.Source))
			t.RawSetString("line", lua.LNumber(d.CurrentLine))
			break
		}
	}
	l.Push(t)
	return 1
}

// explain returns the answer to a script that failed.
func explain(err error, hash string) string {
	t, ok := raisedBy(err).(*lua.LTable) // what locate made of it
	if !ok {
		return "ERR " + err.Error()
	}
	text := t.RawGetString("err").String()
	if line := t.RawGetString("line"); line != lua.LNil {
		text += " script: " + hash + ", on " + t.RawGetString("source").String() + ":" + line.String() + "."
	}
	return text
}

// raisedBy returns the value that a script raised, from the error of PCall.
func raisedBy(err error) lua.LValue {
	var e *lua.ApiError
	if errors.As(err, &e) {
		return e.Object
	}
	return lua.LString(err.Error())
}

// pcall is Lua's pcall, except that it returns errors of commands as their text.
func pcall(l *lua.LState) int {
	l.CheckAny(1)
	if err := l.PCall(l.GetTop()-1, lua.MultRet, nil); err != nil {
		v := raisedBy(err)
		if t, ok := v.(*lua.LTable); ok {
			if text, ok := t.RawGetString("err").(lua.LString); ok {
				v = text
			}
		}
		l.Push(lua.LFalse)
		l.Push(v)
		return 2
	}
	l.Insert(lua.LTrue, 1)
	return l.GetTop()
}

const errOneString = "ERR wrong number or type of arguments"

func errorReply(l *lua.LState) int {
	s, ok := l.Get(1).(lua.LString)
	text := strings.TrimPrefix(string(s), "-")
	switch {
	case !ok || l.GetTop() != 1:
		text = errOneString
	case !strings.Contains(text, " "):
		text = "ERR " + text
	}
	l.Push(failure(l, text))
	return 1
}

func statusReply(l *lua.LState) int {
	s, ok := l.Get(1).(lua.LString)
	if !ok || l.GetTop() != 1 {
		l.Push(failure(l, errOneString))
		return 1
	}
	l.Push(single(l, "ok", s))
	return 1
}

func sha1hex(l *lua.LState) int {
	if l.GetTop() != 1 {
		l.Error(failure(l, "ERR wrong number of arguments"), 1)
	}
	s, _ := stringOf(l.Get(1))
	l.Push(lua.LString(sha1Hex(s)))
	return 1
}

// firstRandom48 is the initial state of math.random. Redis uses a generator of its own,
// that of drand48, and does not seed it: tokens that scripts draw repeat after every
// restart.
const firstRandom48 = 0x1234ABCD330E

func (i *interpreter) random(l *lua.LState) int {
	i.random48 = (i.random48*0x5DEECE66D + 0xB) & (1<<48 - 1)
	x := float64(i.random48>>17%math.MaxInt32) / math.MaxInt32
	low, high := 1, 0
	switch l.GetTop() {
	case 0:
		l.Push(lua.LNumber(x))
		return 1
	case 1:
		high = l.CheckInt(1)
	case 2:
		low, high = l.CheckInt(1), l.CheckInt(2)
	default:
		l.RaiseError("wrong number of arguments")
	}
	if low > high {
		l.RaiseError("bad argument #%d to 'random' (interval is empty)", l.GetTop())
	}
	l.Push(lua.LNumber(math.Floor(x*float64(high-low+1)) + float64(low)))
	return 1
}

func (i *interpreter) randomSeed(l *lua.LState) int {
	i.random48 = uint64(uint32(l.CheckInt64(1)))<<16 + 0x330E
	return 0
}

// parseReply converts a reply to a value for scripts.
func parseReply(l *lua.LState, in []byte) (v lua.LValue, rest []byte) {
	head, rest, _ := bytes.Cut(in, []byte("\r\n"))
	line := string(head[1:])
	switch head[0] {
	case '+':
		return single(l, "ok", lua.LString(line)), rest
	case '-':
		return failure(l, line), rest
	case ':':
		n, _ := strconv.ParseInt(line, 10, 64)
		return lua.LNumber(n), rest
	}
	size, _ := strconv.Atoi(line)
	switch {
	case size < 0:
		return lua.LFalse, rest
	case head[0] == '$':
		return lua.LString(rest[:size]), rest[size+2:]
	}
	t := l.CreateTable(size, 0)
	for range size {
		v, rest = parseReply(l, rest)
		t.Append(v)
	}
	return t, rest
}

// writeLua answers with a value of a script.
func writeLua(out *output, v lua.LValue) {
	switch v := v.(type) {
	case lua.LString:
		out.WriteBulk(string(v))
	case lua.LNumber:
		out.WriteInt(int(whole(float64(v))))
	case lua.LBool:
		if v {
			out.WriteInt(1)
		} else {
			out.WriteNull()
		}
	case *lua.LTable:
		writeTable(out, v)
	default:
		out.WriteNull()
	}
}

// writeTable answers with an error, a status, or an array up to its first nil.
func writeTable(out *output, t *lua.LTable) {
	if s, ok := t.RawGetString("err").(lua.LString); ok {
		out.WriteError(string(s))
		return
	}
	if s, ok := t.RawGetString("ok").(lua.LString); ok {
		out.WriteInline(string(s))
		return
	}
	var items []lua.LValue
	for i := 1; t.RawGetInt(i) != lua.LNil; i++ {
		items = append(items, t.RawGetInt(i))
	}
	out.WriteLen(len(items))
	for _, v := range items {
		writeLua(out, v)
	}
}
