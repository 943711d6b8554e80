package simrun

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/lockpick-dev/lockpick/certificate"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// certify writes the certificate of a check that has exhausted its bound without a fault, if the command asks for one. It
// says why there is none otherwise.
func (h *session) certify(o *outcome) error {
	if h.certificate == "" {
		return nil
	}
	if why := lacksCertificate(o); why != "" {
		if _, err := os.Stat(h.certificate); err == nil {
			why += "; " + wording.Printable(h.certificate) + " is of an earlier check"
		}
		fmt.Fprintf(h.app.err, "simrun: no certificate was written: %s\n", why)
		return nil
	}
	program, err := ownSum()
	if err != nil {
		return fmt.Errorf("the certificate needs the hash of this program: %w", err)
	}
	c := &certificate.Certificate{
		Version: certificate.Version, Lock: h.id.Lock, Scenario: h.id.Scenario, Parameters: h.id.Parameters, Properties: h.cell.Judged(),
		Bound: h.id.Bound, Classes: slices.Sorted(maps.Keys(o.check.Orders)), Versions: h.id.Versions, Program: program,
	}
	for _, l := range o.check.Levels {
		c.Levels = append(c.Levels, certificate.Level{Run: l.Schedules, Idle: l.Idle, Classes: l.Orders})
	}
	for v := range o.Violations { // unordered: sorted below
		c.Limits = append(c.Limits, v.Property)
	}
	slices.Sort(c.Limits)
	if err := traces.Replace(h.certificate, func(w io.Writer) error { return c.Write(w) }); err != nil {
		return fmt.Errorf("the certificate cannot be written: %w", err)
	}
	return nil
}

// lacksCertificate returns why a check has no certificate, "" if it has one. Violations that are limits of leases do not
// prevent it: the certificate names them.
func lacksCertificate(o *outcome) string {
	for v := range o.Violations { // unordered: any fault will do
		if !v.Limit {
			return "a fault was found"
		}
	}
	rest := *o.check
	rest.Violations = map[model.Violation]int{}
	if word := rest.Result(); word != explore.Exhausted || o.interrupted {
		return "the search is " + word
	}
	return ""
}

// ownSum returns the SHA-256 of this program.
func ownSum() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
