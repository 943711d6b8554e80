package simmysql

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/storetest/fidelity"
)

var update = flag.Bool("update", false, "write down what a real server answers to the scripts in testdata/scripts")

// kept is a script in testdata/scripts, with what a real server has answered.
type kept struct {
	sessions int
	script   []command
	answers  []string
}

// readScript reads a file: comments, a line for each command ("session: statement", and KILL QUERY for what interrupts
// the session's statement), and after an empty line what was answered.
func readScript(t *testing.T, file string) (k kept) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, answers, _ := strings.Cut(string(text), "\n\n")
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		number, query, _ := strings.Cut(line, ": ")
		session, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("%s: %q is no command", file, line)
		}
		k.sessions = max(k.sessions, session+1)
		k.script = append(k.script, command{session: session, query: query, kills: query == "KILL QUERY"})
	}
	if answers = strings.TrimRight(answers, "\n"); answers != "" {
		k.answers = strings.Split(answers, "\n")
	}
	return k
}

// write writes the file again with other answers.
func (k kept) write(t *testing.T, file string, answers []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, _, _ := strings.Cut(string(text), "\n\n")
	if err := os.WriteFile(file, []byte(strings.TrimRight(script, "\n")+"\n\n"+strings.Join(answers, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// names are those of the scripts.
func names(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(list) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	return list
}

// TestScripts: single cases are answered as a real server has answered them, and weigh as much in deadlocks.
func TestScripts(t *testing.T) {
	for _, file := range names(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			k := readScript(t, file)
			if d := fidelity.Difference(onSimulated(t, k.sessions, k.script, true), k.answers, all); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestScriptsOfRealServer: and a real server still does.
func TestScriptsOfRealServer(t *testing.T) {
	p := newRealPlace(t)
	for _, file := range names(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			k := readScript(t, file)
			p.patience = 20 * time.Millisecond
			d := fidelity.Repeat(func() string {
				x := &player{place: p, weighs: true}
				answers := x.play(k.sessions, setUp, k.script)
				if *update {
					k.write(t, file, answers)
					return ""
				}
				return fidelity.Difference(k.answers, answers, all)
			})
			if d != "" {
				t.Errorf("simulated is what is kept:\n%s", d)
			}
		})
	}
}

// TestAllCompared: each statement that is simulated, by its first word, is in a script that is compared with a real server.
func TestAllCompared(t *testing.T) {
	compared := map[string]bool{}
	for _, file := range names(t) {
		for _, c := range readScript(t, file).script {
			word, _, _ := strings.Cut(strings.ToLower(c.query), " ")
			compared[word] = compared[word] || !c.kills
		}
	}
	for word := range dialect.Grammar.Statements { // unordered: each is reported
		if !compared[word] {
			t.Errorf("no script has the statement %s: add it to testdata/scripts/statements.txt, and record what a real server answers by -update", strings.ToUpper(word))
		}
	}
}

func all(string) bool { return true }
