package simkube

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

func init() {
	payload.Register("kube", simhttp.Words{Request: requestText, Answer: answerText}.Open)
}

// requestText describes a request in few words, as "PUT default/lock: c1, version 12".
func requestText(r *http.Request, body []byte) string {
	p := parsePath(r.URL.Path)
	if !p.leases {
		return ""
	}
	about := p.namespace + "/" + p.name
	if p.name == "" {
		about = strings.TrimSuffix(p.namespace+"/leases", "/")
	}
	text := r.Method + " " + about
	if r.URL.RawQuery != "" {
		text += "?" + r.URL.RawQuery
	}
	if of := contentText(body); of != "" {
		text += ": " + of
	}
	return text
}

// answerText describes an answer, or an event of a watch.
func answerText(_ *http.Request, a *http.Response, body []byte) string {
	var event struct {
		Type   string          `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	if json.Unmarshal(body, &event) == nil && event.Type != "" {
		return strings.TrimSuffix(event.Type+" "+contentText(event.Object), " ")
	}
	text := a.Status
	if of := contentText(body); of != "" {
		text += ": " + of
	}
	return text
}

// contentText describes an object: a lease by its holder and its version, an error by its message.
func contentText(body []byte) string {
	var o struct {
		Kind, Message string
		Metadata      struct{ Name, ResourceVersion string }
		Spec          *struct{ HolderIdentity *string }
		Items         []json.RawMessage
	}
	if len(body) == 0 || json.Unmarshal(body, &o) != nil {
		return ""
	}
	var words []string
	switch {
	case o.Message != "":
		if _, why, found := strings.Cut(o.Message, `": `); found {
			return why // the object is that of the request
		}
		return o.Message
	case o.Spec != nil && o.Spec.HolderIdentity != nil && *o.Spec.HolderIdentity != "":
		words = append(words, *o.Spec.HolderIdentity)
	case o.Spec != nil:
		words = append(words, "nobody")
	}
	if v := o.Metadata.ResourceVersion; v != "" {
		words = append(words, "version "+v)
	}
	return strings.Join(words, ", ")
}
