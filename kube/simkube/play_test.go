package simkube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// command is a request of a script. In its query and its body, @version:a stands for the last version of the lease a
// that the play has seen, @older:a for the one before, and @uid:a and @olduid:a for its uids.
type command struct {
	method string // "WATCH" begins a watch
	name   string // of the lease, empty for all
	wide   bool   // of all namespaces
	query  string
	body   string
}

func (c command) String() string {
	return strings.TrimSpace(strings.Join([]string{c.method, c.name, c.query, c.body}, " "))
}

// player plays scripts on a server, and writes what it gets, in which versions count from the first one, and uids are
// numbered.
type player struct {
	client         *http.Client
	url, namespace string

	base     int64
	uids     []string
	versions map[string][]string // seen, by lease
	owned    map[string][]string // uids seen, by lease
	latest   int64
	streams  []*stream
	lines    []string
}

// stream is a watch.
type stream struct {
	what    string
	until   string // the lease whose last event ends the play
	body    io.ReadCloser
	decoder *json.Decoder
	cancel  func()
}

func newPlayer(client *http.Client, url, namespace string) *player {
	return &player{client: client, url: url, namespace: namespace, versions: map[string][]string{}, owned: map[string][]string{}}
}

// names are the leases of scripts. The last one comes last in lists.
var names = []string{"a", "b", "c"}

// play plays a script.
func (p *player) play(script []command) []string {
	p.do(command{method: "POST", body: `{"metadata":{"name":"base"}}`})
	for _, c := range script {
		p.do(c)
	}
	for _, name := range names {
		p.do(command{method: "DELETE", name: name})
		p.do(command{method: "POST", body: fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"holderIdentity":"end"}}`, name)})
	}
	for _, s := range p.streams {
		p.hear(s)
	}
	for _, name := range append(names, "base") { // others list all namespaces
		p.do(command{method: "DELETE", name: name})
	}
	return p.lines
}

// do makes a request and notes the answer.
func (p *player) do(c command) {
	if c.method == "WATCH" || strings.Contains(c.query, "resourceVersion=0") {
		p.refresh()
	}
	p.lines = append(p.lines, c.String())
	ctx, cancel := context.WithCancel(context.Background())
	a, err := p.request(ctx, c)
	if err != nil {
		cancel()
		p.lines = append(p.lines, "  "+err.Error())
		return
	}
	head := fmt.Sprintf("  %d %s", a.StatusCode, a.Header.Get("Content-Type"))
	for _, field := range []string{"Cache-Control", "Retry-After"} {
		if value := a.Header.Get(field); value != "" {
			head += ", " + field + ": " + value
		}
	}
	if c.method == "WATCH" && a.StatusCode == http.StatusOK {
		p.lines = append(p.lines, head)
		s := &stream{what: c.String(), until: names[len(names)-1], body: a.Body, decoder: json.NewDecoder(a.Body), cancel: cancel}
		if _, name, is := strings.Cut(c.query, "metadata.name%3D"); is {
			s.until = name[:1]
		}
		p.streams = append(p.streams, s)
		return
	}
	all, err := io.ReadAll(a.Body)
	_ = a.Body.Close()
	cancel()
	if err != nil {
		all = []byte(err.Error())
	}
	p.lines = append(p.lines, head+" "+p.normal(all))
}

// refresh waits until the cache of the server has all that was answered.
func (p *player) refresh() {
	a, err := p.request(context.Background(), command{method: "GET", query: "resourceVersion=" + strconv.FormatInt(p.latest, 10)})
	if err == nil {
		_, _ = io.Copy(io.Discard, a.Body)
		_ = a.Body.Close()
	}
}

// request makes a request.
func (p *player) request(ctx context.Context, c command) (*http.Response, error) {
	method, path := c.method, prefix+"namespaces/"+p.namespace+"/leases"
	if c.wide {
		path = prefix + "leases"
	}
	if c.name != "" {
		path += "/" + c.name
	}
	query := c.query
	if method == "WATCH" {
		method, query = "GET", "watch=1&"+query
	}
	if query != "" {
		path += "?" + p.fill(query)
	}
	r, err := http.NewRequestWithContext(ctx, method, p.url+path, strings.NewReader(p.fill(c.body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	return p.client.Do(r)
}

var symbol = regexp.MustCompile(`@(version|older|uid|olduid):([a-z])|@namespace|@future`)

// fill replaces the symbols of a text.
func (p *player) fill(text string) string {
	return symbol.ReplaceAllStringFunc(text, func(s string) string {
		what, name, _ := strings.Cut(s, ":")
		seen, back := p.versions[name], 1
		switch what {
		case "@namespace":
			return p.namespace
		case "@future":
			return strconv.FormatInt(p.latest+1000, 10)
		case "@older":
			back = 2
		case "@uid":
			seen = p.owned[name]
		case "@olduid":
			seen, back = p.owned[name], 2
		}
		if len(seen) < back {
			return "none"
		}
		return seen[len(seen)-back]
	})
}

// hear notes the events of a watch.
func (p *player) hear(s *stream) {
	defer s.cancel()
	defer s.body.Close()
	defer time.AfterFunc(10*time.Second, s.cancel).Stop()
	p.lines = append(p.lines, "events of "+s.what)
	for {
		var event json.RawMessage
		if err := s.decoder.Decode(&event); err != nil {
			p.lines = append(p.lines, "  "+err.Error())
			return
		}
		p.lines = append(p.lines, "  "+p.normal(event))
		if bytes.HasPrefix(event, []byte(`{"type":"ADDED"`)) && bytes.Contains(event, []byte(`"name":"`+s.until+`"`)) && bytes.Contains(event, []byte(`"holderIdentity":"end"`)) {
			return
		}
	}
}

var (
	uidText     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	managedText = regexp.MustCompile(`,?\\*"managedFields\\*":\[[^\]]*\],?`)
	createdText = regexp.MustCompile(`(creationTimestamp\\*":\\*")\d[^"\\]+`)
	versionText = regexp.MustCompile(`(resourceVersion\\*":\\*"|esource version: |esourceVersion in (?:precondition|object meta): |current: |in record \(|in the precondition \()(\d+)`)
)

// normal returns a JSON value as the play writes it. What is no JSON stays.
func (p *player) normal(text []byte) string {
	p.note(text)
	text = uidText.ReplaceAllFunc(text, func(uid []byte) []byte {
		for i, known := range p.uids {
			if known == string(uid) {
				return fmt.Appendf(nil, "uid%d", i)
			}
		}
		p.uids = append(p.uids, string(uid))
		return fmt.Appendf(nil, "uid%d", len(p.uids)-1)
	})
	text = managedText.ReplaceAllFunc(text, func(m []byte) []byte {
		if m[0] == ',' && m[len(m)-1] == ',' {
			return []byte(",")
		}
		return nil
	})
	text = createdText.ReplaceAll(text, []byte("${1}T"))
	text = versionText.ReplaceAllFunc(text, func(m []byte) []byte {
		parts := versionText.FindSubmatch(m)
		n, _ := strconv.ParseInt(string(parts[2]), 10, 64)
		if n < p.base || p.base == 0 {
			return m
		}
		return fmt.Appendf(nil, "%sv%d", parts[1], n-p.base)
	})
	var object any
	if json.Unmarshal(text, &object) != nil {
		return strings.TrimSpace(string(text))
	}
	b, _ := json.Marshal(object)
	return string(b)
}

// note notes the version and the uid of a lease in an answer.
func (p *player) note(text []byte) {
	var o struct {
		Kind     string
		Metadata struct{ Name, UID, ResourceVersion string }
		Object   json.RawMessage
		Items    []json.RawMessage
	}
	_ = json.Unmarshal(text, &o)
	for _, one := range append(o.Items, o.Object) {
		if one != nil {
			p.note(one)
		}
	}
	if n, err := strconv.ParseInt(o.Metadata.ResourceVersion, 10, 64); err == nil {
		p.latest = max(p.latest, n)
		if p.base == 0 {
			p.base = n
		}
	}
	if m := o.Metadata; o.Kind == "Lease" {
		p.versions[m.Name] = follow(p.versions[m.Name], m.ResourceVersion)
		p.owned[m.Name] = follow(p.owned[m.Name], m.UID)
	}
}

// follow appends a value unless it is the last one.
func follow(list []string, value string) []string {
	if len(list) > 0 && list[len(list)-1] == value {
		return list
	}
	return append(list, value)
}
