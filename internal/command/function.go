package command

import (
	"reflect"
	"runtime"
)

// Function is where the source of a function is: its name, with the path of its package, and where its body begins.
type Function struct {
	Name string `json:"name,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// FunctionOf returns where the source of f is, a function or a [Function]; the zero Function if that is unknown.
func FunctionOf(f any) Function {
	if known, is := f.(Function); is {
		return known
	}
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func {
		return Function{}
	}
	at := runtime.FuncForPC(v.Pointer())
	if at == nil {
		return Function{}
	}
	file, line := at.FileLine(at.Entry())
	return Function{at.Name(), file, line}
}
