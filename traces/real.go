package traces

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Confirmation is the result of trying to make the violation of a trace happen on real servers.
type Confirmation struct {
	// Server is the program of the servers and its version, as it reports them. Client are the client libraries and their
	// versions, and Platform is the system, such as "linux/amd64".
	Server   string `json:"server"`
	Client   string `json:"client"`
	Platform string `json:"platform"`
	// Of is the number of tries, at least 1. Confirmed is the number of tries in which the same property was violated, in the
	// same class, by the same cause; 0 means not confirmed.
	Of        int `json:"of"`
	Confirmed int `json:"confirmed"`
	// Mean is the average duration of a try, without the start of its servers.
	Mean time.Duration `json:"meanNanos"`
	// When is the end of the last try, in UTC, in the format of RFC 3339.
	When string `json:"when"`
}

// String returns "confirmed on ... (20 of 20 tries)", or "not confirmed on ... in 20 tries".
func (c *Confirmation) String() string {
	tries := fmt.Sprintf("%d %s", c.Of, wording.Form(c.Of, "try", "tries"))
	if c.Confirmed == 0 {
		return fmt.Sprintf("not confirmed on %s in %s", c.Server, tries)
	}
	return fmt.Sprintf("confirmed on %s (%d of %s)", c.Server, c.Confirmed, tries)
}

// Confirmed reports whether the violation was made to happen on real servers, at least once.
func (t *Trace) Confirmed() bool {
	return slices.ContainsFunc(t.Confirmations, func(c Confirmation) bool { return c.Confirmed > 0 })
}

// Real describes a run on real servers. Its trace has no tape: it can be shown and compared, but not run again.
type Real struct {
	// Server, Client, Platform and When are as in a [Confirmation].
	Server   string `json:"server"`
	Client   string `json:"client"`
	Platform string `json:"platform"`
	When     string `json:"when"`
	// Try is the number of the try, from 1.
	Try int `json:"try"`
	// Simulated is the hash of the trace whose order the run was to follow. Diverged is where and why it left that order and
	// ended, empty if it followed it to the end.
	Simulated string `json:"simulated"`
	Diverged  string `json:"diverged,omitempty"`
}

// MayRun returns an error if the trace cannot be run again.
func (t *Trace) MayRun() error {
	switch {
	case t.Real == nil:
		return nil
	case t.Attached != nil:
		return fmt.Errorf("it is a run of foreign clients on real servers (%s), which has no tape: simrun replay repeats it, and simrun attach has shrunk it", t.Real.Server)
	}
	return fmt.Errorf("it is a run on real servers (%s), which has no tape: use the simulated trace whose order it followed, that with the hash %s", t.Real.Server, t.Real.Simulated)
}

// Confirm adds a result to the trace. It replaces one for the same server and client.
func (t *Trace) Confirm(c Confirmation) {
	same := func(o Confirmation) bool { return o.Server == c.Server && o.Client == c.Client }
	list := slices.Clone(t.Confirmations)
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = c
	} else {
		list = append(list, c)
	}
	t.Confirmations = list
}

// StillConfirmed copies the results of an older trace if it is of the same run: the same lock, scenario, parameters, tape
// and hash. Otherwise the trace keeps its own.
func (t *Trace) StillConfirmed(old *Trace) {
	if t.Scenario == old.Scenario && t.Lock == old.Lock && t.Hash == old.Hash && t.Property == old.Property &&
		slices.Equal(t.Parameters, old.Parameters) && reflect.DeepEqual(t.Tape, old.Tape) && old.Real == nil {
		t.Confirmations = old.Confirmations
	}
}

// StillConfirmedAt is [Trace.StillConfirmed] with the trace in the file at path, if there is one.
func (t *Trace) StillConfirmedAt(path string) {
	if old, err := ReadFile(path); err == nil {
		t.StillConfirmed(old)
	}
}

const (
	// maxConfirmations is the maximum number of results of a trace: one for each version of a server and a client.
	maxConfirmations = 100
	// maxTried is the maximum number of tries of a result.
	maxTried = 1_000_000
	// maxNamed is the maximum number of bytes of the name of a server, a client or a platform.
	maxNamed = 200
)

// checkReal checks the fields about real servers.
func (t *Trace) checkReal() error {
	if n := len(t.Confirmations); n > maxConfirmations {
		return fmt.Errorf("confirmations: there are %d; a trace has at most %d", n, maxConfirmations)
	}
	for i := range t.Confirmations {
		if err := t.Confirmations[i].check(t.Confirmations[:i]); err != nil {
			return fmt.Errorf("confirmations[%d]%w", i, err)
		}
	}
	if len(t.Confirmations) > 0 && t.Property == "" {
		return fmt.Errorf("confirmations: there is no violation that could have been confirmed")
	}
	r := t.Real
	if r == nil {
		return nil
	}
	switch {
	case len(t.Tape) > 0 || t.Shrunk != nil || t.Attribution != nil || len(t.Confirmations) > 0 || t.Trouble != nil || t.Schedule != -1:
		return fmt.Errorf("real: a run on real servers has no tape, no schedule (-1), and nothing that was found out with one")
	case r.Try < 1 || r.Try > maxTried:
		return fmt.Errorf("real.try: %d is no number of a try", r.Try)
	case !isHash(r.Simulated):
		return fmt.Errorf("real.simulated: %s is not lower-case hex", quote(r.Simulated))
	}
	if r.Diverged != "" {
		if err := checkText(r.Diverged); err != nil {
			return fmt.Errorf("real.diverged%w", err)
		}
	}
	if err := checkSetting(r.Server, r.Client, r.Platform, r.When); err != nil {
		return fmt.Errorf("real%w", err)
	}
	return nil
}

func (c *Confirmation) check(before []Confirmation) error {
	switch {
	case c.Of < 1 || c.Of > maxTried:
		return fmt.Errorf(".of: %d is no number of tries", c.Of)
	case c.Confirmed < 0 || c.Confirmed > c.Of:
		return fmt.Errorf(".confirmed: %d of %d tries", c.Confirmed, c.Of)
	case c.Mean < 0 || !plausible(c.Mean):
		return fmt.Errorf(".meanNanos: a try does not take %dns", c.Mean)
	}
	if slices.ContainsFunc(before, func(o Confirmation) bool { return o.Server == c.Server && o.Client == c.Client }) {
		return fmt.Errorf(": there is another of %s and %s", quote(c.Server), quote(c.Client))
	}
	return checkSetting(c.Server, c.Client, c.Platform, c.When)
}

// checkSetting checks where and when a run on real servers was made.
func checkSetting(server, client, platform, when string) error {
	for _, n := range []struct{ name, value string }{{"server", server}, {"client", client}, {"platform", platform}} {
		if n.value == "" || len(n.value) > maxNamed || n.value != wording.Printable(n.value) {
			return fmt.Errorf(".%s: %s is empty, too long or cannot be printed", n.name, quote(n.value))
		}
	}
	if _, err := time.Parse(time.RFC3339, when); err != nil || len(when) > maxNamed {
		return fmt.Errorf(".when: %s is not a time like 2006-01-02T15:04:05Z", quote(when))
	}
	return nil
}

// Attached describes how client processes of a foreign lock were run (simrun attach), so that the run can be repeated.
type Attached struct {
	// Command is the program of a client process and its arguments.
	Command []string `json:"command"`
	// Faults are the faults of the run, as texts of package real/attach, such as "c1 acquire 1, SET lock 1: lose answer".
	Faults []string `json:"faults"`
	// Shown is in how many of Of tries of these faults the violation happened.
	Of    int `json:"of"`
	Shown int `json:"shown"`
}

const (
	// maxFaults is the maximum number of faults of a run of foreign clients, and maxWords that of the words of its command.
	maxFaults = 100
	maxWords  = 1000
)

// checkAttached checks the description of foreign clients.
func (t *Trace) checkAttached() error {
	a := t.Attached
	switch {
	case a == nil:
		return nil
	case t.Real == nil:
		return fmt.Errorf("attached: the run was not made on real servers")
	case len(a.Command) < 1 || len(a.Command) > maxWords || a.Command[0] == "":
		return fmt.Errorf("attached.command: it has no program, or more than %d words", maxWords)
	case len(a.Faults) > maxFaults:
		return fmt.Errorf("attached.faults: there are %d; a run has at most %d", len(a.Faults), maxFaults)
	case a.Of < 0 || a.Of > maxTried || a.Shown < 0 || a.Shown > a.Of:
		return fmt.Errorf("attached.shown: %d of %d tries", a.Shown, a.Of)
	}
	for i, f := range a.Faults {
		if f == "" || len(f) > maxNamed || f != wording.Printable(f) {
			return fmt.Errorf("attached.faults[%d]: %s is empty, too long or cannot be printed", i, quote(f))
		}
	}
	return nil
}
