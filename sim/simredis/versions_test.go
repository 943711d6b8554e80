package simredis

import (
	"strings"
	"testing"
)

// TestVersions: each version has its own commands, says of the others what it says of any that it does not know, and names itself.
func TestVersions(t *testing.T) {
	const known = "known"
	unknown := func(words string) string { return "-" + unknownCommand(strings.Fields(words)) + "\r\n" }
	for _, test := range []struct {
		words string
		want  [Valkey9 + 1]string // by version; known stands for any answer but an error
	}{
		{"CAD k v", [...]string{known, unknown("CAD k v"), unknown("CAD k v"), unknown("CAD k v"), unknown("CAD k v")}},
		{"DELEX k", [...]string{known, unknown("DELEX k"), unknown("DELEX k"), known, unknown("DELEX k")}},
		{"delex", [...]string{"-ERR wrong number of arguments for 'delex' command\r\n", unknown("delex"), unknown("delex"), "-ERR wrong number of arguments for 'delex' command\r\n", unknown("delex")}},
		{"DELIFEQ k v", [...]string{known, unknown("DELIFEQ k v"), unknown("DELIFEQ k v"), unknown("DELIFEQ k v"), known}},
		{"SET k v IFEQ v", [...]string{known, "-ERR syntax error\r\n", "-ERR syntax error\r\n", known, known}},
		{"SET k v IFNE v", [...]string{known, "-ERR syntax error\r\n", "-ERR syntax error\r\n", known, "-ERR syntax error\r\n"}},
		{"CLIENT SETINFO lib-name x", [...]string{known, "-ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.\r\n", known, known, known}},
		{"GET k", [...]string{known, known, known, known, known}},
		{"EVAL return_redis.call('delex','k') 0", [...]string{known, "-ERR Unknown Redis command called from script script: ", "-ERR Unknown Redis command called from script script: ", known, "-ERR Unknown Redis command called from script script: "}},
		{"HELLO 3", [...]string{"$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.2.4\r\n", "$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n", "$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.2.4\r\n", "$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n8.4.0\r\n", "$6\r\nvalkey\r\n$7\r\nversion\r\n$5\r\n9.0.0\r\n"}},
		{"INFO server", [...]string{"redis_version:7.2.4\r\n", "redis_version:7.0.15\r\n", "redis_version:7.2.4\r\n", "redis_version:8.4.0\r\n", "valkey_version:9.0.0\r\n"}},
	} {
		for v, want := range test.want {
			play(t, Options{Version: Version(v)}, func(x *player) {
				words := strings.Fields(test.words)
				for i := range words {
					words[i] = strings.Replace(words[i], "return_", "return ", 1)
				}
				got := x.primary().do(words...)
				if want == known && got[0] == '-' || want != known && !strings.Contains(got, want) {
					t.Errorf("version %d: %s: %q, want %q", v, test.words, got, want)
				}
			})
		}
	}
}

// TestVersionRefuses: what a server of the version answers itself does not fail the run, and makes EXEC fail.
func TestVersionRefuses(t *testing.T) {
	play(t, Options{Version: Redis72}, func(x *player) {
		w := x.primary()
		w.want("+OK\r\n", "MULTI")
		w.want("-"+unknownCommand([]string{"DELEX", "k"})+"\r\n", "DELEX", "k")
		w.want("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")
	})
	for words, want := range map[string]string{"DELEX k": "", "CLIENT NO-TOUCH on": "", "SET k v IFEQ v": "", "SET k v IFDEQ 0": "", "DIGEST k": "", "XADD s * a b": "XADD"} {
		if got := refusal(t, Options{Version: Redis70}, strings.Fields(words)); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}
