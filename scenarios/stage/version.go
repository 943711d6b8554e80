package stage

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// ModuleVersion is the version of a compiled-in module, "unknown" if it was vendored, or
// replaced by a directory, in a test binary: those do not say which modules they were built
// of. Then the path of the module's source does, which names its version. A function of the
// module's says where that is.
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
