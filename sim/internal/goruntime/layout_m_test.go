//go:build go1.26 && !go1.27 && (amd64 || arm64) && !unreadable

package goruntime

import (
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestPlaces: the places are those of the runtime's source.
func TestPlaces(t *testing.T) {
	if !mKnown || testing.Short() {
		t.Skip("it reads the runtime's source for each system")
	}
	defer func(old build.Context) { build.Default = old }(build.Default)
	for system, want := range placesOfM {
		build.Default.GOOS, build.Default.GOARCH, _ = strings.Cut(system, "/")
		build.Default.CgoEnabled = false
		pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import("runtime")
		if err != nil {
			t.Fatal(err)
		}
		at := func(structure, field string) uintptr {
			s := pkg.Scope().Lookup(structure).Type().Underlying().(*types.Struct)
			fields := slices.Collect(s.Fields())
			n := slices.IndexFunc(fields, func(f *types.Var) bool { return f.Name() == field })
			return uintptr(types.SizesFor("gc", build.Default.GOARCH).Offsetsof(fields)[n])
		}
		got := want
		got.profileHz, got.pcCache, got.chacha8, got.cheap = at("m", "profilehz"), at("m", "pcvalueCache"), at("m", "chacha8"), at("m", "cheaprand")
		if got != want || at("g", "m") != mOfG || at("pcvalueCache", "inUse") != 384 ||
			at("synctestBubble", "timers")+at("timers", "heap") != heapOfBubble || at("timer", "rand") != rankOfTimer || at("timer", "period") != periodOfTimer ||
			at("timer", "isChan") != isChanOfTimer || at("timer", "arg") != argOfTimer {
			t.Errorf("%s: %+v, want %+v; m of g at %d", system, got, want, at("g", "m"))
		}
	}
}
