package simredis

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// refusal is why a run of one command fails, empty if it does not.
func refusal(t *testing.T, o Options, words []string) string {
	t.Helper()
	r := sim.Run(sim.Config{}, func(w *sim.World) {
		c := New(w, o, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			if conn, err := p.DialContext(background, "tcp", c.Address(), 0); err == nil {
				_, _ = conn.Write(encode(words...))
				_, _ = conn.Read(make([]byte, 1000))
			}
		})
	})
	if r.Failure == nil {
		return ""
	}
	if !r.Failure.Refused {
		t.Errorf("%q: %v", words, r.Failure)
	}
	return r.Failure.Reason
}

// TestRefused: what a server of some version knows and this one does not fails the run; an error that Redis answers as well does not.
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		command, want string // what is not supported; empty if that is answered
	}{
		{"XADD s * a b", "XADD"},
		{"OBJECT FREQ k", "OBJECT"},
		{"CLIENT TRACKING ON", ""},
		{"CLIENT TRACKING ON REDIRECT 3", "the option REDIRECT of CLIENT TRACKING"},
		{"CLIENT TRACKING ON BCAST PREFIX", ""},
		{"CLIENT REPLY OFF", "CLIENT REPLY"},
		{"CLIENT MAINT_NOTIFICATIONS ON", ""},
		{"SCRIPT KILL", "SCRIPT KILL"},
		{"client|id", ""},
		{"SET k v IFDEQ 0", "a digest other than 16 hexadecimal digits in lower case, in IFDEQ"},
		{"SET k v IFDNE 0123456789abcdef", ""},
		{"SET k v NX XX", ""},
		{"SET k v EX", ""},
		{"GETEX k FOO", "the option FOO of GETEX"},
		{"DELEX k IFDNE 0123456789ABCDEF", "a digest other than 16 hexadecimal digits in lower case, in IFDNE"},
		{"DELEX k IFDNX 0", "the option IFDNX of DELEX"},
		{"DIGEST k", ""},
		{"GET", ""},
		{"EXPIRE k 1 FOO", ""},
		{"COPY a b DB 1", "other databases than 0: COPY of 1"},
		{"COPY a b FOO", "the option FOO of COPY"},
		{"COPY a b DB", ""},
		{"SELECT 3", "other databases than 0: SELECT of 3"},
		{"SELECT -1", ""},
		{"ZRANK k m WITHSCORE", "ZRANK with an option"},
		{"ZRANK k", ""},
		{"HSCAN k 0 NOVALUES", "the option NOVALUES of HSCAN"},
		{"HSCAN k 0 COUNT", ""},
		{"MIGRATE h 1 k 0 1 FOO", ""},
		{"EVAL return_redis.call('xadd',1) 0", "XADD"},
		{"EVAL return_redis.pcall('xadd',1) 0", "XADD"},
		{"EVAL return_redis.call('get') 0", ""},
		{"EVAL return_nonsense 0", ""},
		{"EVAL return_cmsgpack.pack(1) 0", "Lua's cmsgpack in scripts"},
		{"EVAL return_pcall(function()_return_bit.band(1,1)_end) 0", "Lua's bit in scripts"},
		{"EVAL return_cjson.null 0", "Lua's cjson.null in scripts"},
		{"EVAL return_cjson.nonsense 0", ""},
		{"EVAL return_cjson.encode({1}) 0", ""},
		{"EVAL redis.setresp(3) 0", "redis.setresp(3) in scripts"},
		{"EVAL redis.setresp(2) 0", ""},
		{"EVAL redis.breakpoint() 0", "Lua's redis.breakpoint in scripts"},
		{"EVAL #!lua\n 0", "scripts with flags ('#!lua')"},
	} {
		words := strings.Split(test.command, " ")
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", map[bool]string{true: " ", false: "_"}[words[0] == "EVAL"])
		}
		want := ""
		if test.want != "" {
			want = "the simulated Redis does not support " + test.want + ": sent by c1 to redis1"
		}
		if got := refusal(t, Options{}, words); got != want {
			t.Errorf("%s: %q, want %q", test.command, got, want)
		}
	}
}

// TestRefusedBySentinel: so it is with a Sentinel.
func TestRefusedBySentinel(t *testing.T) {
	for command, want := range map[string]string{
		"SENTINEL RESET x": "SENTINEL RESET of a Sentinel", "ACL WHOAMI": "ACL of a Sentinel", "GET k": "", "CLIENT NO-EVICT on": "", "CLIENT CAPA redirect": "",
		"CLIENT TRACKING ON OPTIN": "", "CLIENT CACHING YES": "", "CLIENT TRACKINGINFO": "", "CLIENT GETREDIR": "", "CLIENT LIST": "CLIENT LIST of a Sentinel",
	} {
		r := sim.Run(sim.Config{}, func(w *sim.World) {
			c := New(w, Options{Replicas: 1, Sentinels: &Sentinels{Count: 3}}, func(model.Observation) {})
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				if conn, err := p.DialContext(background, "tcp", c.Sentinels()[0].Address(), 0); err == nil {
					_, _ = conn.Write(encode(strings.Fields(command)...))
					_, _ = conn.Read(make([]byte, 1000))
				}
			})
		})
		got := ""
		if r.Failure != nil {
			got = r.Failure.Reason
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
