package histories_test

import (
	"flag"
	"os"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// TestMain has more histories checked than rapid would, unless its flag says
// how many.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "2000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// eachKind runs a property for every kind of object.
func eachKind(t *testing.T, property func(*rapid.T, model.Spec)) {
	for _, kind := range model.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { property(rt, histories.Spec(rt, kind)) })
		})
	}
}

func checkAll(t *rapid.T, spec model.Spec, calls []model.Call) {
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := spec.CheckAll(calls); err != nil {
		t.Fatalf("%v\n%s", err, histories.Text(calls))
	}
}

// TestLegal: what clients of a real object recorded is legal.
func TestLegal(t *testing.T) {
	eachKind(t, func(t *rapid.T, spec model.Spec) {
		calls := histories.Legal(spec, 8).Draw(t, "calls")
		checkAll(t, spec, calls)
		if !porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls)) {
			t.Fatalf("illegal for the model %+v:\n%s", spec, histories.Text(calls))
		}
	})
}

// TestModels: each model, searched by porcupine, allows what can be executed in
// some order, and nothing else.
func TestModels(t *testing.T) {
	eachKind(t, func(t *rapid.T, spec model.Spec) {
		calls := histories.Any(spec, 6).Draw(t, "calls")
		checkAll(t, spec, calls)
		got := porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls))
		if want := histories.Linearizable(spec, calls); got != want {
			t.Fatalf("legal for the model %+v: %v; in some order: %v\n%s", spec, got, want, histories.Text(calls))
		}
	})
}
