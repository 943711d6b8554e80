package simpostgres_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/postgres/internal/scripts"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

var write = flag.Bool("write", false, "write down what a real server answers to the scripts in testdata/scripts")

// each calls f for the scripts in testdata/scripts.
func each(t *testing.T, f func(t *testing.T, file string, s scripts.Script)) {
	list, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(list) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, file := range list {
		s, err := scripts.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { f(t, file, s) })
	}
}

func all(string) bool { return true }

// TestScripts: single cases are answered as a real server has answered them.
func TestScripts(t *testing.T) {
	each(t, func(t *testing.T, _ string, s scripts.Script) {
		if d := fidelity.Difference(onSimulated(s), s.Answers, all); d != "" {
			t.Error(d)
		}
	})
}

// TestScriptsOfRealServer: and a real server still answers so.
func TestScriptsOfRealServer(t *testing.T) {
	real := newReal(t, realpostgres.Start(t, scripts.Settings...), 0)
	defer real.Close()
	each(t, func(t *testing.T, file string, s scripts.Script) {
		if *write {
			if err := scripts.Write(file, onReal(t, real, s)); err != nil {
				t.Fatal(err)
			}
			return
		}
		if d := compare(t, s.Answers, real, s); d != "" {
			t.Errorf("simulated is what is kept:\n%s", d)
		}
	})
}
