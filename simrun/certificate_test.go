package simrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/certificate"
)

// TestCertificate: a check without a fault writes a certificate that can be verified, and any other says why there is none.
func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	small := []string{"-p", "clients=2", "-p", "rounds=1", "--bound=1", "--no-shrink", "--out", dir}
	for name, one := range map[string]struct {
		args []string
		none string // why there is no certificate
	}{
		"sound":   {args: append([]string{"check", "gc-pause", "--lock=setpx-fenced"}, small...)},
		"a fault": {append([]string{"check", "gc-pause", "--lock=setpx-twostep"}, small...), "a fault was found"},
		"a limit": {append([]string{"check", "gc-pause", "--lock=setpx-fenced", "--limit=5"}, small...), "the search is inconclusive"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.json")
			code, _, errs := simrun(t, append(one.args, "--certificate", path)...)
			f, err := os.Open(path)
			if one.none != "" {
				if err == nil || !strings.Contains(errs, "no certificate was written: "+one.none) {
					t.Errorf("exit code %d, %v\n%s", code, err, errs)
				}
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, _, errs := simrun(t, append(one.args, "--certificate", path)...); !strings.Contains(errs, "; "+path+" is of an earlier check\n") {
					t.Errorf("beside an earlier certificate: %s", errs)
				}
				return
			}
			if err != nil {
				t.Fatalf("exit code %d, %v\n%s", code, err, errs)
			}
			defer f.Close()
			c, err := certificate.Read(f)
			if err != nil || c.Lock != "setpx-fenced" || c.Bound != 1 || len(c.Program) != 64 || len(c.Levels) != 2 {
				t.Errorf("%v: %+v", err, c)
			}
		})
	}
}
