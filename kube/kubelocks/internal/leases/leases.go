// Package leases asks an API server of Kubernetes for one Lease, over HTTP. It is safe for concurrent use.
package leases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Lease is an object of coordination.k8s.io/v1.
type Lease struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

// Metadata are those fields of the object's metadata that a client must send back.
type Metadata struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace,omitempty"`
	UID             string            `json:"uid,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`
}

// Spec is the content of a Lease. Times have six digits of their second.
type Spec struct {
	HolderIdentity       string `json:"holderIdentity"`
	LeaseDurationSeconds int    `json:"leaseDurationSeconds,omitempty"`
	AcquireTime          string `json:"acquireTime,omitempty"`
	RenewTime            string `json:"renewTime,omitempty"`
	LeaseTransitions     int    `json:"leaseTransitions"`
}

// Time returns a time as a Lease has it.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// Error is the answer of a server that refuses a request.
type Error struct {
	Code       int // of HTTP
	Message    string
	RetryAfter time.Duration // 0 if the server does not say
}

// Error returns the answer's text.
func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s", e.Code, http.StatusText(e.Code), e.Message)
}

// API is one Lease at a server.
type API struct {
	Client          *http.Client
	URL             string // of the server
	Namespace, Name string
}

func (a *API) path() string {
	return a.URL + "/apis/coordination.k8s.io/v1/namespaces/" + url.PathEscape(a.Namespace) + "/leases"
}

// Get returns the Lease, by a linearizable read.
func (a *API) Get(ctx context.Context) (*Lease, error) {
	return a.ask(ctx, http.MethodGet, a.path()+"/"+url.PathEscape(a.Name), "", nil)
}

// Create creates the Lease.
func (a *API) Create(ctx context.Context, l *Lease) (*Lease, error) {
	return a.ask(ctx, http.MethodPost, a.path(), "application/json", a.complete(l))
}

// Update replaces the Lease, if it has still the resource version.
func (a *API) Update(ctx context.Context, l *Lease) (*Lease, error) {
	return a.ask(ctx, http.MethodPut, a.path()+"/"+url.PathEscape(a.Name), "application/json", a.complete(l))
}

// Patch changes fields of whatever Lease there is, by a JSON merge patch.
func (a *API) Patch(ctx context.Context, spec map[string]any) (*Lease, error) {
	return a.ask(ctx, http.MethodPatch, a.path()+"/"+url.PathEscape(a.Name), "application/merge-patch+json", map[string]any{"spec": spec})
}

// complete returns the Lease with its name and its kind.
func (a *API) complete(l *Lease) *Lease {
	whole := *l
	whole.Kind, whole.APIVersion = "Lease", "coordination.k8s.io/v1"
	whole.Metadata.Name, whole.Metadata.Namespace = a.Name, a.Namespace
	return &whole
}

// ask makes a request. The error is an [*Error] if the server has answered with one.
func (a *API) ask(ctx context.Context, method, url, content string, body any) (*Lease, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if content != "" {
		r.Header.Set("Content-Type", content)
	}
	answer, err := a.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		return nil, refused(answer, all)
	}
	l := new(Lease)
	return l, json.Unmarshal(all, l)
}

// refused is the error of an answer.
func refused(a *http.Response, body []byte) *Error {
	e := &Error{Code: a.StatusCode}
	var status struct{ Message string }
	if json.Unmarshal(body, &status) == nil {
		e.Message = status.Message
	}
	if seconds, err := strconv.Atoi(a.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
