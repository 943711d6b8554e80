package stage

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// ModuleVersion returns the version of a compiled-in module, "unknown" if it cannot be found. A
// test binary does not record its modules: the version is then read from the source path of the
// given function of the module. That fails if the module was vendored or replaced by a
// directory.
func ModuleVersion(module string, function any) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path != module {
				continue
			}
			if m.Replace != nil {
				m = m.Replace
			}
			if m.Version != "" {
				return m.Version
			}
		}
	}
	file, _ := runtime.FuncForPC(reflect.ValueOf(function).Pointer()).FileLine(0)
	_, after, _ := strings.Cut(file, module+"@")
	if version, _, found := strings.Cut(after, "/"); found {
		return version
	}
	return "unknown"
}
