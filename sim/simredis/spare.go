package simredis

import (
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
	lua "github.com/yuin/gopher-lua"
)

// Making an interpreter costs more than all the scripts of a run, so the next run gets
// those of the last one, but only if nothing in them shows that they have been used.
// Scripts can change shared tables (getfenv, rawset, table.insert, the metatable of
// strings), so every shared table is compared with its original contents.

// spare has interpreters that are as new, and lent those that the present run has
// borrowed. There is one run at a time, and the next one begins with takeBack, so they
// need no lock.
var spare, lent []*interpreter

const mostSpare = 8

func init() { sim.Forgetters = append(sim.Forgetters, takeBack) }

// borrowInterpreter returns an interpreter that is as new.
func borrowInterpreter(n *Node) *interpreter {
	var i *interpreter
	if last := len(spare) - 1; last >= 0 {
		i, spare = spare[last], spare[:last]
		i.node = n
	} else {
		i = newInterpreter(n)
		i.shared = snapshotTables(i.state)
	}
	lent = append(lent, i)
	return i
}

// takeBack returns interpreters that the last run has borrowed and left unchanged to
// spare.
func takeBack() {
	for _, i := range lent {
		if len(spare) < mostSpare && i.unspoilt() {
			i.node, i.random48, i.touched = nil, firstRandom48, false
			spare = append(spare, i)
		}
	}
	clear(lent)
	lent = lent[:0]
}

// unspoilt reports whether no later script can notice that there were others. After an
// error the state counts as spoilt.
func (i *interpreter) unspoilt() bool {
	if i.failed || i.request != nil || i.state.Env != i.environment {
		return false
	}
	i.globals.RawSetString("KEYS", lua.LNil)
	i.globals.RawSetString("ARGV", lua.LNil)
	if !i.touched {
		return true
	}
	for _, s := range i.shared {
		if !s.same() {
			return false
		}
	}
	return true
}

// harmlessGlobals lead to no function that changes a table made by others.
var harmlessGlobals = map[lua.LValue]bool{
	lua.LString("KEYS"): true, lua.LString("ARGV"): true, lua.LString("redis"): true, lua.LString("cjson"): true,
	lua.LString("tonumber"): true, lua.LString("tostring"): true, lua.LString("type"): true, lua.LString("unpack"): true,
	lua.LString("math"): true, lua.LString("ipairs"): true,
}

// harmless reports whether code provably leaves shared tables unchanged, so that they need not be
// compared: it assigns to no global and to no field, and the globals that it reads are harmless. It can
// reach a function that changes a table, such as rawset, only through the globals, since tables and
// strings lead to harmless functions only.
func harmless(code *lua.FunctionProto) bool {
	const opcodeShift, constantMask = 26, 1<<18 - 1
	for _, instruction := range code.Code {
		switch int(instruction >> opcodeShift) {
		case lua.OP_SETGLOBAL, lua.OP_SETTABLE, lua.OP_SETTABLEKS:
			return false
		case lua.OP_GETGLOBAL:
			if !harmlessGlobals[code.Constants[instruction&constantMask]] {
				return false
			}
		}
	}
	return !slices.ContainsFunc(code.FunctionPrototypes, func(inner *lua.FunctionProto) bool { return !harmless(inner) })
}

// sharedTable has the original contents of a table that all scripts can reach.
type sharedTable struct {
	table     *lua.LTable
	metatable lua.LValue
	fields    []field
}

type field struct {
	key, value lua.LValue
	env        *lua.LTable // of a function
}

// snapshotTables returns all tables that scripts can reach.
func snapshotTables(l *lua.LState) []*sharedTable {
	var list []*sharedTable
	known := map[*lua.LTable]bool{}
	var visit func(v lua.LValue)
	visit = func(v lua.LValue) {
		if f, ok := v.(*lua.LFunction); ok {
			visit(f.Env)
			return
		}
		t, ok := v.(*lua.LTable)
		if !ok || known[t] {
			return
		}
		known[t] = true
		s := &sharedTable{table: t, metatable: t.Metatable}
		list = append(list, s)
		for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
			f := field{key: k, value: v}
			if function, ok := v.(*lua.LFunction); ok {
				f.env = function.Env
			}
			s.fields = append(s.fields, f)
			visit(v)
		}
		visit(t.Metatable)
	}
	visit(l.Env)
	visit(l.GetMetatable(lua.LString("")))
	return list
}

// same reports whether the table has its original contents.
func (s *sharedTable) same() bool {
	if s.table.Metatable != s.metatable {
		return false
	}
	key, value := s.table.Next(lua.LNil)
	for i := range s.fields {
		f := &s.fields[i]
		if key != f.key || value != f.value {
			return false
		}
		if function, ok := value.(*lua.LFunction); ok && function.Env != f.env {
			return false
		}
		key, value = s.table.Next(key)
	}
	return key == lua.LNil
}
