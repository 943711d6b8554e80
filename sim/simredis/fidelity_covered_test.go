package simredis

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notInReal are the commands that the real server here does not know, such as newer ones, with what says how they answer. Where it does know one, the
// tests that compare with it fail, and the command's line has to go.
var notInReal = map[string]string{
	"cad":             "Tair's, of which its documentation says what it answers: TestCAD",
	"delex":           "since Redis 8.4: TestDelEx has what its documentation says",
	"digest":          "since Redis 8.4: TestDigest has what its documentation says",
	"delifeq":         "since Valkey 9: TestDelIfEqual has what its documentation says",
	"client|no-touch": "since Redis 7.2: TestNoTouch",
	"client|setinfo":  "since Redis 7.2; compared is that it answers without an error, by differences",
}

// calledInScript is a command in a script of Lua.
var calledInScript = regexp.MustCompile(`redis\.p?call\(\s*['"](\w+)['"](?:, *['"](\w+)['"])?`)

// compared are the commands that the scripts call which are compared with a real server, by their names in the table.
func compared() map[string]bool {
	all := map[string]bool{}
	add := func(words []string) {
		if s, _ := find(words); s != nil {
			all[s.name] = true
		}
		for _, m := range calledInScript.FindAllStringSubmatch(strings.Join(words, " "), -1) {
			if s, _ := find(m[1:]); s != nil {
				all[s.name] = true
			}
		}
	}
	for _, c := range slices.Concat(fidelityTable, scriptsTable, connectionsTable, trackingTable) {
		for _, s := range parseSteps(c.script) {
			add(s.words)
		}
	}
	for asked := range goldenLines(goldenCommands) {
		add(parseSteps(asked)[0].words)
	}
	for _, form := range forms {
		add(strings.Fields(form))
	}
	for _, c := range clusterTable {
		for _, s := range parseClusterSteps(c.script) {
			add(s.words)
		}
	}
	return all
}

// TestAllCompared: each command of the table is in a script that is compared with a real server, or is said to be none of that server's.
func TestAllCompared(t *testing.T) {
	all := compared()
	for name, s := range specs { // unordered: each is reported
		if reason := notInReal[name]; !s.sub && !all[name] && reason == "" {
			t.Errorf("%s is in no script that is compared with a real server: add it to fidelityTable, or say in notInReal what says how it answers", name)
		}
	}
	for name := range notInReal { // unordered
		if specs[name] == nil {
			t.Errorf("%s is in notInReal, and not in the table", name)
		}
	}
	if all["foo"] || len(all) < 100 {
		t.Errorf("%d commands are compared", len(all))
	}
}
