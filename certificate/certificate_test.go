package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/certificate"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis/builtin"
	"github.com/lockpick-dev/lockpick/traces"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := explore.ServeStdio(scenarios.Registry(builtin.Locks()).Resolve); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// certified searches a small cell exhaustively and returns its certificate. It is one also if the search has found faults.
func certified(t *testing.T, lock, scenario string, bound int) *certificate.Certificate {
	t.Helper()
	c, err := scenarios.Registry(builtin.Locks()).Cell(scenario, lock, []traces.Parameter{{Name: "clients", Value: "2"}, {Name: "rounds", Value: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	worker, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := explore.Check{Worker: worker, Cell: c.Encode(), Bound: bound, Jobs: 2, Happenings: len(c.Happenings())}.Run(t.Context())
	if err != nil || sum.Complete != bound {
		t.Fatalf("bound %d is not complete: %v", bound, err)
	}
	out := &certificate.Certificate{
		Version: certificate.Version, Lock: lock, Scenario: scenario, Parameters: c.Parameters(), Properties: c.Judged(),
		Bound: bound, Classes: slices.Sorted(maps.Keys(sum.Orders)), Limits: []string{"linearizable", "mutual-exclusion", "no-lost-update"},
	}
	for _, l := range sum.Levels {
		out.Levels = append(out.Levels, certificate.Level{Run: l.Schedules, Idle: l.Idle, Classes: l.Orders})
	}
	return out
}

func verify(t *testing.T, c *certificate.Certificate, samples int) (certificate.Report, error) {
	t.Helper()
	return c.Verify(t.Context(), scenarios.Registry(builtin.Locks()), samples, 1)
}

// TestVerify: the certificate of a sound lock stands, and each way in which one is wrong is found.
func TestVerify(t *testing.T) {
	slowtest.SkipIfShort(t)
	sound := certified(t, "setpx-fenced", "gc-pause", 2)
	with := func(change func(*certificate.Certificate)) *certificate.Certificate {
		c := *sound
		c.Classes, c.Levels = slices.Clone(c.Classes), slices.Clone(c.Levels)
		change(&c)
		return &c
	}
	for name, one := range map[string]struct {
		certificate *certificate.Certificate
		refuted     string // by what; "" if it stands
		other       bool
	}{
		"sound":                 {certificate: sound},
		"a lock with a fault":   {certificate: certified(t, "setpx-twostep", "gc-pause", 1), refuted: "violates owner-only-release"},
		"another lock":          {certificate: with(func(c *certificate.Certificate) { c.Lock = "setpx" }), other: true},
		"other parameters":      {certificate: with(func(c *certificate.Certificate) { c.Parameters = nil }), other: true},
		"a limit is not named":  {certificate: with(func(c *certificate.Certificate) { c.Limits = nil }), refuted: "as a limit, which the certificate does not name"},
		"half of the classes":   {certificate: with(func(c *certificate.Certificate) { c.Classes = everySecond(c.Classes) }), other: true},
		"a search of bound 1":   {certificate: with(func(c *certificate.Certificate) { c.Classes = certified(t, "setpx-fenced", "gc-pause", 1).Classes }), refuted: "which the certificate lacks"},
		"another count":         {certificate: with(func(c *certificate.Certificate) { c.Levels[1].Run++ }), refuted: "the certificate has"},
		"another set":           {certificate: with(func(c *certificate.Certificate) { c.Levels[1].Classes-- }), refuted: "the certificate has"},
		"fewer properties":      {certificate: with(func(c *certificate.Certificate) { c.Properties = c.Properties[:1] }), other: true},
		"one more at bound two": {certificate: with(func(c *certificate.Certificate) { c.Classes = slices.Insert(c.Classes, 0, 0) })},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := verify(t, one.certificate, 100)
			var refuted *certificate.Refuted
			switch {
			case one.other:
				if !errors.Is(err, certificate.ErrOther) && !errors.As(err, &refuted) {
					t.Errorf("got %v", err)
				}
			case one.refuted != "":
				if !errors.As(err, &refuted) || !strings.Contains(refuted.Reason, one.refuted) {
					t.Errorf("got %v, want: %s", err, one.refuted)
				}
			case err != nil:
				t.Error(err)
			case report.Runs[0] != 1 || report.Runs[1] < 100 || report.Runs[2] < 90 || report.Seen < report.Runs[1]/2:
				t.Errorf("%+v", report)
			}
		})
	}
}

func everySecond(list certificate.Classes) (some certificate.Classes) {
	for i := 1; i < len(list); i += 2 {
		some = append(some, list[i])
	}
	return some
}

// TestVerifyRefuses: what cannot be verified here is refused by name.
func TestVerifyRefuses(t *testing.T) {
	for want, c := range map[string]*certificate.Certificate{
		"no lock":             {Lock: "no-such-lock", Scenario: "gc-pause"},
		"no scenario":         {Lock: "setpx", Scenario: "no-such-scenario"},
		"other parameters or": {Lock: "setpx", Scenario: "gc-pause", Properties: []string{"x"}},
	} {
		if _, err := verify(t, c, 1); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "no-such") {
			t.Errorf("got %v, want: %s", err, want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	cell, err := scenarios.Registry(builtin.Locks()).Cell("gc-pause", "setpx", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &certificate.Certificate{Lock: "setpx", Scenario: "gc-pause", Parameters: cell.Parameters(), Properties: cell.Judged()}
	if _, err := c.Verify(ctx, scenarios.Registry(builtin.Locks()), 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// small is a certificate of a search that is too small to be of use.
func small() *certificate.Certificate {
	return &certificate.Certificate{
		Version: certificate.Version, Lock: "setpx", Scenario: "gc-pause", Properties: []string{"progress"}, Bound: 1,
		Levels: []certificate.Level{{Run: 1, Classes: 1}, {Run: 2, Classes: 3}}, Classes: certificate.Classes{1, 2, 1 << 63},
	}
}

func TestReadRefuses(t *testing.T) {
	for want, change := range map[string]func(*certificate.Certificate){
		"version 2":              func(c *certificate.Certificate) { c.Version = 2 },
		"names no lock":          func(c *certificate.Certificate) { c.Lock = "" },
		"one level for each":     func(c *certificate.Certificate) { c.Bound = 2 },
		"2 calm runs":            func(c *certificate.Certificate) { c.Levels[0].Run = 2 },
		"of 3 classes":           func(c *certificate.Certificate) { c.Levels[0].Classes = 3 },
		"names a limit":          func(c *certificate.Certificate) { c.Limits = []string{"\x1b[31mfencing"} },
		"says that it has 4":     func(c *certificate.Certificate) { c.Levels[1].Classes = 4 },
		"no property":            func(c *certificate.Certificate) { c.Properties = nil },
		"not in ascending order": func(c *certificate.Certificate) { c.Classes[0] = 5 },
		"which cannot be":        func(c *certificate.Certificate) { c.Levels[1].Run = -1 },
		"has 1 runs, 0 idle and 3 classes, which cannot be": func(c *certificate.Certificate) { c.Levels[1].Run = 1 },
	} {
		c := small()
		change(c)
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := certificate.Read(&b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want: %s", err, want)
		}
	}
	var b strings.Builder
	if err := small().Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for _, text := range []string{good + "{}", strings.Replace(good, `"lock":`, `"lock": "setpx", "lock":`, 1), strings.Replace(good, `"lock":`, `"Lock":`, 1), "", "{", "[]", `{"certificate": 1, "more": 2}`, `{"classes": "AAAA"}`, `{"classes": "*"}`} {
		if _, err := certificate.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// FuzzRead: what is read is written as it was.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := small().Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := certificate.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := c.Write(&again); err != nil {
			t.Fatal(err)
		}
		d, err := certificate.Read(&again)
		if err != nil {
			t.Fatal(err)
		}
		one, _ := json.Marshal(c)
		two, _ := json.Marshal(d)
		if !bytes.Equal(one, two) {
			t.Errorf("%s became %s", one, two)
		}
	})
}

// TestCommand: what a user sees, and the exit codes.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, c *certificate.Certificate) string {
		path := filepath.Join(dir, name)
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sound, flawed := certified(t, "setpx-fenced", "gc-pause", 1), certified(t, "setpx-twostep", "gc-pause", 1)
	good, bad, other := write("good", sound), write("bad", flawed), write("other", small())
	for _, one := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{good}, 0, "setpx-fenced in gc-pause, bound 1: nothing contradicts the certificate.\nParameters: ttl=2s clients=2 rounds=1 "},
		{[]string{bad}, 1, "violates owner-only-release"},
		{[]string{other}, 4, "another program or version"},
		{nil, 2, "want one certificate"},
		{[]string{filepath.Join(dir, "none")}, 2, "no such file"},
		{[]string{"--samples=-1", good}, 2, "want 0 to 1000000"},
		{[]string{"--samples=many", good}, 2, "invalid value"},
		{[]string{"-h"}, 0, "Usage: recheck"},
	} {
		var out, errs strings.Builder
		code := certificate.Command(t.Context(), scenarios.Registry(builtin.Locks()), one.args, &out, &errs)
		if code != one.code || !strings.Contains(out.String()+errs.String(), one.says) {
			t.Errorf("recheck %q: exit code %d\n%s%s", one.args, code, &out, &errs)
		}
	}
}
