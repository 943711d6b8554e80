package simkube

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// events reads the events of a watch until it ends: type, holder and version, or the reason of an error.
func (p *play) events(request string) (list []string) {
	a, err := p.open(request, "")
	if err != nil {
		return []string{err.Error()}
	}
	defer a.Body.Close()
	if a.StatusCode != 200 {
		return []string{fmt.Sprint(a.StatusCode, " ", a.Header.Get("Retry-After"))}
	}
	for s := bufio.NewScanner(a.Body); s.Scan(); {
		var e struct {
			Type   string
			Object struct {
				lease
				Reason string
			}
		}
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			return append(list, err.Error())
		}
		o := &e.Object
		list = append(list, strings.TrimSpace(fmt.Sprint(e.Type, " ", o.holder(), " ", o.Metadata.ResourceVersion, o.Reason)))
	}
	return list
}

// TestWatch: a watch gets what has happened after a version, and what happens then, until its time is over.
func TestWatch(t *testing.T) {
	run(t, Options{Servers: 3}, func(p *play) {
		p.ask("POST", object("lock", "", "a"))
		p.ask("PATCH lock", `{"spec":{"holderIdentity":"b"}}`)
		p.plan(5*time.Second, func() {
			for _, o := range []operation{
				&patch{"default", "lock", json.RawMessage(`{"spec":{"holderIdentity":"c"}}`)},
				&create{&lease{Metadata: meta{Name: "other", Namespace: "default"}}, stamp{}},
				&remove{namespace: "default", name: "lock"},
			} {
				p.cluster.Nodes()[0].propose(&entry{operation: o})
			}
		})
		for request, want := range map[string][]string{ // unordered: each is the same run
			"GET ?watch=1&timeoutSeconds=9": {"ADDED b 3", "MODIFIED c 4", "ADDED  5", "DELETED c 6"},
			"GET ?watch=true&timeoutSeconds=9&fieldSelector=metadata.name%3Dlock&allowWatchBookmarks=true": {"ADDED b 3", "MODIFIED c 4", "DELETED c 6"},
			"GET ?watch=1&timeoutSeconds=9&resourceVersion=2":                                              {"MODIFIED b 3", "MODIFIED c 4", "ADDED  5", "DELETED c 6"},
			"GET ?watch=1&timeoutSeconds=9&resourceVersion=4":                                              {"ADDED  5", "DELETED c 6"},
		} {
			go func() {
				if got := p.events(request); !slices.Equal(got, want) {
					t.Errorf("%s: %q, want %q", request, got, want)
				}
			}()
		}
		p.process.Clock().Sleep(15 * time.Second)
		p.wants("GET ?watch=1&sendInitialEvents=true", "", 422, "sendInitialEvents is forbidden")
	})
}

// TestRestart: a server that has restarted does not know earlier changes.
func TestRestart(t *testing.T) {
	run(t, Options{}, func(p *play) {
		p.ask("POST", object("lock", "", "a"))
		p.ask("PATCH lock", `{"spec":{"holderIdentity":"b"}}`)
		p.plan(5*time.Second, p.cluster.Nodes()[0].Crash)
		p.plan(6*time.Second, p.cluster.Nodes()[0].Restart)
		if got := p.events("GET ?watch=1"); !slices.Equal(got, []string{"ADDED b 3"}) {
			t.Errorf("at the crash: %q", got)
		}
		p.process.Clock().Sleep(10 * time.Second)
		if got := p.events("GET ?watch=1&resourceVersion=2"); !slices.Equal(got, []string{"ERROR  Expired"}) {
			t.Errorf("after the crash: %q", got)
		}
		p.wants("GET lock?resourceVersion=0", "", 200, `"holderIdentity":"b"`)
	})
}

// TestCache: a cache that lags answers reads that name a version.
func TestCache(t *testing.T) {
	run(t, Options{CacheLag: 2 * time.Second}, func(p *play) {
		p.ask("POST", object("lock", "", "a"))
		p.process.Clock().Sleep(3 * time.Second)
		p.ask("PATCH lock", `{"spec":{"holderIdentity":"b"}}`)
		p.wants("GET lock", "", 200, `"holderIdentity":"b"`)
		p.wants("GET lock?resourceVersion=0", "", 200, `"holderIdentity":"a"`)
		p.wants("GET ?resourceVersion=0", "", 200, `"holderIdentity":"a"`, `"metadata":{"resourceVersion":"2"}`)
		p.wants("GET lock?resourceVersion=3", "", 200, `"holderIdentity":"b"`) // after two seconds
		p.wants("GET lock?resourceVersion=0", "", 200, `"holderIdentity":"b"`)
		p.wants("GET lock?resourceVersion=9", "", 504, "Too large resource version: 9, current: 3", `"retryAfterSeconds":1`)
		p.wants("GET lock?resourceVersion=x", "", 500)
	})
}
