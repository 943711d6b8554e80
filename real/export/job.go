package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Job is an export.
type Job struct {
	Trace *traces.Trace
	// Make is the constructor of the lock ([cell.Lock.Constructor]), or where its source is: a [realclient.Function].
	Make    any
	Sources Sources
	// Tests is the package of the test that has the lock, if its own test files belong to it.
	Tests string
	// Schema are the statements that set the server up, if it needs any.
	Schema []string
	// Versions are the versions of modules, by their paths.
	Versions map[string]string
	// Runs is the number of runs of the test before it is written, at least 1.
	Runs int
	// Repaired, if not empty, is a module and a version with which the test must pass: MODULE@VERSION, or several, separated
	// by commas.
	Repaired string
	// Command is the command that repeats the export, for the README.
	Command string

	used  []string
	needs string // what to install
}

// Result is the result of an export.
type Result struct {
	// Failed is the number of runs, of Runs, that failed as they should.
	Failed, Runs int
	// Repaired is the number of runs that failed with the repaired version.
	Repaired int
	// Log is the output of a run that failed.
	Log string
	// Stub is set if the test lacks the code of the lock, for the reason Why. It was not run.
	Stub bool
	Why  string
	// Server is the server on which the test ran.
	Server string
}

// StubError is why the code of the lock cannot be copied.
type StubError struct{ Reason string }

func (e *StubError) Error() string {
	return "the code of the lock cannot be copied: " + e.Reason
}

// instead are the connectors of the stores' packages, and the parts that replace them.
var instead = map[Name]Name{
	{modulePath + "/cell", "Client"}:                 {partsPath, "Client"},
	{modulePath + "/locktest", "Client"}:             {partsPath, "Client"},
	{modulePath + "/cell", "LockName"}:               {partsPath, "LockName"},
	{modulePath + "/stores/redis", "Options"}:        {partsPath, "RedisOptions"},
	{modulePath + "/stores/redis", "AllOptions"}:     {partsPath, "RedisAllOptions"},
	{modulePath + "/stores/redis", "Connect"}:        {partsPath, "RedisConnect"},
	{modulePath + "/stores/redis", "Universal"}:      {partsPath, "RedisUniversal"},
	{modulePath + "/stores/redis", "FailoverClient"}: {partsPath, "RedisFailover"},
	{modulePath + "/zookeeper", "Connect"}:           {partsPath, "ZooKeeperConnect"},
	{modulePath + "/etcd", "Connect"}:                {partsPath, "EtcdConnect"},
	{modulePath + "/postgres", "Pool"}:               {partsPath, "PostgresPool"},
	{modulePath + "/postgres", "Connect"}:            {partsPath, "PostgresConnect"},
	{modulePath + "/postgres", "ConnectWith"}:        {partsPath, "PostgresConnectWith"},
	{modulePath + "/postgres", "PQ"}:                 {partsPath, "PostgresPQ"},
	{modulePath + "/postgres", "Route"}:              {partsPath, "PostgresRoute"},
	{modulePath + "/postgres", "Direct"}:             {partsPath, "PostgresDirect"},
}

// connectors returns the parts that replace the stores' connectors in a test of the story.
func connectors(s *Script) map[Name]Name {
	if s.missing == nil {
		return instead
	}
	m := maps.Clone(instead)
	m[Name{modulePath + "/stores/redis", "Universal"}] = Name{partsPath, "SentinelUniversal"}
	return m
}

// Text returns the file of the test. Stub is set if the constructor had to be left out.
func (j *Job) Text() (text []byte, modules []string, stub error, err error) {
	s, err := Read(j.Trace)
	if err != nil {
		return nil, nil, nil, err
	}
	j.needs, s.schema = s.needs(), j.Schema
	b := &Bundle{Sources: j.Sources, Tests: j.Tests, Instead: connectors(s)}
	ref, stub := b.construct(j.Make)
	if stub == nil {
		stub = lockpicks(b)
	}
	if stub != nil {
		b = &Bundle{Sources: j.Sources, Instead: connectors(s)}
		ref = "newLock"
	}
	apart := s.pauses && (s.midCall || b.Starts())
	own := s.Body(b, ref, apart)
	if apart {
		own += fmt.Sprintf("\nfunc TestMain(m *«testing.M») {\n«%s.ServeProcess»(%s)\n«os.Exit»(m.Run())\n}\n", partsPath, ref)
	}
	if stub != nil {
		own += fmt.Sprintf("\n// newLock makes the lock for a client.\nfunc newLock(c *«%s.Client») «%s/lock.Locker» {\npanic(\"TODO: make the lock, for example with the address c.Addresses()[0], the name c.LockName() and the lease c.TTL()\")\n}\n", partsPath, modulePath)
		b.Call("LockName")
		b.Call("TTL")
		b.Call("Addresses")
	}
	own = strings.ReplaceAll(own, "*testing.T", "*«testing.T»")
	b.Quoted = s.quoted
	if err := b.keepAll(own); err != nil {
		return nil, nil, stub, err
	}
	text, err = b.File("reproduction", j.head(apart || s.missing != nil), own)
	return text, b.Modules(), stub, err
}

// lockpicks refuses code that refers to code which is not copied.
func lockpicks(b *Bundle) error {
	b.callMethods()
	if b.err != nil {
		return b.err
	}
	var all []string
	for n, d := range b.kept { // unordered: the first in the alphabet is returned
		if at := d.file.lockpick(b.Sources, b.Instead, d.node); at != "" {
			all = append(all, fmt.Sprintf("%s uses %s of Lockpick", n.Name, at))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return errors.New(slices.Min(all))
}

// keepAll copies everything that a text refers to.
func (b *Bundle) keepAll(text string) error {
	for {
		_, rest, found := strings.Cut(text, "«")
		if !found {
			return b.err
		}
		ref, after, _ := strings.Cut(rest, "»")
		text = after
		at := strings.LastIndexByte(ref, '.')
		for called := range strings.FieldsFuncSeq(after, func(r rune) bool { return r == '.' || r == '(' || r == ')' || r == ' ' || r == '\n' }) {
			b.Call(called)
		}
		if at < 0 { // it is in quotes
			continue
		}
		if n := (Name{ref[:at], ref[at+1:]}); b.Sources.has(n.Path) {
			if err := b.Keep(n); err != nil {
				return err
			}
		}
	}
}

// head returns the comment of the file: the rule, the story, the versions.
func (j *Job) head(unix bool) string {
	t := j.Trace
	var out strings.Builder
	if unix {
		out.WriteString("//go:build unix\n\n") // processes are stopped by a signal, machines vanish by a full queue
	}
	line := func(text string) { out.WriteString(strings.TrimRight("// "+comment(text), " ") + "\n") }
	wrong, _ := render.Brief(t)
	for i, text := range wrong {
		if text = strings.TrimSpace(text); i > 0 && text != "" {
			wrap(text, line)
		}
	}
	line("")
	line("What happens:")
	line("")
	for i, step := range story.UntilViolated(story.Steps(t)) {
		wrapAt(fmt.Sprintf("%3d. ", i+1), fmt.Sprintf("%s %s %s", traces.Seconds(step.At, 4), step.Actor, step.Text), line)
	}
	line("")
	wrap("Found in a simulation ("+t.Made.String()+"); this test shows it on real servers. It fails as long as the library does so. Run it by: go test .", line)
	if j.Repaired != "" {
		line("")
		line("It passes with " + j.Repaired + ":")
		line("")
		out.WriteString("//\tgo get " + comment(strings.ReplaceAll(j.Repaired, ",", " ")) + " && go mod tidy && go test .\n")
	}
	return out.String()
}

// Write writes the test, a go.mod and a README into a directory, if the test fails as it should.
func (j *Job) Write(ctx context.Context, dir string) (*Result, error) {
	text, modules, stub, err := j.Text()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "lockpick-export-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if err := j.files(work, text, modules); err != nil {
		return nil, err
	}
	r := &Result{Runs: j.Runs}
	if stub != nil {
		r.Stub, r.Why = true, (&StubError{stub.Error()}).Error()
		return r, place(work, dir)
	}
	if err := j.verify(ctx, work, r); err != nil {
		return r, err
	}
	if err := os.WriteFile(filepath.Join(work, "README.md"), j.readme(r), 0o644); err != nil { //nolint:gosec // it is a report
		return nil, err
	}
	return r, place(work, dir)
}

// files writes the test and its go.mod.
func (j *Job) files(work string, text []byte, modules []string) error {
	var mod strings.Builder
	mod.WriteString("module reproduction\n\ngo 1.24\n\n")
	for _, path := range modules {
		for m := path; strings.Contains(m, "/"); m = m[:strings.LastIndexByte(m, '/')] {
			if v := j.Versions[m]; v != "" {
				fmt.Fprintf(&mod, "require %s %s\n", m, v)
				j.used = append(j.used, m)
				break
			}
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(work, "x_test.go"), text, 0o644),              //nolint:gosec // it is a report
		os.WriteFile(filepath.Join(work, "go.mod"), []byte(mod.String()), 0o644), //nolint:gosec // it is a report
	)
}

// place copies the files of a directory.
func place(work, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // it is a report
		return err
	}
	for _, name := range []string{"x_test.go", "go.mod", "go.sum", "README.md"} {
		text, err := os.ReadFile(filepath.Join(work, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644) //nolint:gosec // it is a report
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Sentence describes the test that was written.
func (r *Result) Sentence(j *Job, dir string) string {
	text := fmt.Sprintf("wrote %s: it fails in %d of %s", filepath.Join(dir, "x_test.go"), r.Failed, wording.Count(r.Runs, "run"))
	if j.Repaired != "" {
		text += fmt.Sprintf(", and in %d of %d with %s", r.Repaired, r.Runs, j.Repaired)
	}
	return text
}
