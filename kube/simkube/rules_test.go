package simkube

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestRules: what one client after the other gets, by the rules of the API server's source (doc.go).
func TestRules(t *testing.T) {
	run(t, Options{}, func(p *play) {
		const conflicts = `"reason":"Conflict"`
		p.wants("GET lock", "", 404, `"reason":"NotFound"`, `leases.coordination.k8s.io \"lock\" not found`)
		p.wants("POST", object("lock", "", "a"), 201, `"resourceVersion":"2"`, `"holderIdentity":"a"`, `"namespace":"default"`, `"creationTimestamp":"2000-01-01T00:00:00Z"`)
		p.wants("POST", object("lock", "", "a"), 409, `"reason":"AlreadyExists"`)
		p.wants("GET lock", "", 200, `"resourceVersion":"2"`)
		p.wants("PUT lock", object("lock", "", "b"), 422, "metadata.resourceVersion: Invalid value: 0: must be specified for an update")
		p.wants("PUT lock", object("lock", "1", "b"), 409, conflicts, modified)
		p.wants("PUT lock", object("lock", "2", "b"), 200, `"resourceVersion":"3"`, `"holderIdentity":"b"`)
		p.wants("PUT lock", object("lock", "3", "b"), 200, `"resourceVersion":"3"`) // nothing has changed
		p.wants("PUT lock", strings.Replace(object("lock", "3", "c"), `"name"`, `"uid":"x","name"`, 1), 409, "UID in precondition: x")
		p.wants("PATCH lock", `{"spec":{"holderIdentity":"c"}}`, 200, `"resourceVersion":"4"`, `"leaseDurationSeconds":15`)
		p.wants("PATCH lock", `{"metadata":{"resourceVersion":"3"},"spec":{"holderIdentity":"d"}}`, 409, conflicts)
		p.wants("PATCH lock", `{"spec":{"holderIdentity":null}}`, 200, `"resourceVersion":"5"`, `"spec":{"leaseDurationSeconds":15}`)
		p.wants("PATCH other", `{}`, 404)
		p.wants("DELETE lock", `{"preconditions":{"uid":"x"}}`, 409, "the UID in the precondition (x)")
		p.wants("DELETE lock", `{"preconditions":{"resourceVersion":"4"}}`, 409, "the ResourceVersion in the precondition (4) does not match the ResourceVersion in record (5)")
		p.wants("DELETE lock", `{"preconditions":{"resourceVersion":"5"}}`, 200, `"status":"Success"`)
		p.wants("DELETE lock", "", 404)
		p.wants("PUT lock", strings.Replace(object("lock", "", "c"), `"name"`, `"uid":"x","name"`, 1), 409, "UID in object meta: ")
		p.wants("PUT lock", object("lock", "5", "e"), 201, `"resourceVersion":"7"`)
		p.wants("GET", "", 200, `"kind":"LeaseList"`, `"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"lock"`)
		p.wants("GET ?fieldSelector=metadata.name%3Dnone", "", 200, `"items":[]`)
		p.wants("GET /apis/coordination.k8s.io/v1/leases", "", 200, `"holderIdentity":"e"`)
	})
}

// TestInvalid: what is not a lease is refused.
func TestInvalid(t *testing.T) {
	run(t, Options{}, func(p *play) {
		p.wants("POST", `{"metadata":{}}`, 422, "name or generateName is required")
		p.wants("POST", `{`, 400, `"reason":"BadRequest"`)
		p.wants("POST", `{"metadata":{"name":"A"}}`, 422, "RFC 1123")
		p.wants("POST", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`, 400, `cannot be handled as a Lease`)
		p.wants("POST", `{"metadata":{"name":"a","namespace":"b"}}`, 400, "does not match the namespace")
		p.wants("PUT x", object("y", "", ""), 400, "the name of the object (y) does not match the name on the URL (x)")
		p.wants("POST", `{"metadata":{"name":"a"},"spec":{"leaseDurationSeconds":0}}`, 422, "must be greater than 0")
		p.wants("POST", `{"metadata":{"name":"a"},"spec":{"leaseTransitions":-1}}`, 422, "must be greater than or equal to 0")
		p.wants("POST", `{"metadata":{"name":"a"},"spec":{"renewTime":"2000-01-01T00:00:00Z"}}`, 400, "cannot parse")
		p.wants("POST", object("a", "7", ""), 500, "resourceVersion should not be set on objects to be created")
		p.wants("PATCH a", `[]`, 400)
		p.wants("GET a?timeout=x", "", 400, "invalid timeout")
		p.wants("POST", `{"metadata":{"name":"a"},"spec":{"renewTime":"2000-01-01T01:00:00.000001+01:00"}}`, 201, `"renewTime":"2000-01-01T00:00:00.000001Z"`)
		p.wants("PATCH a", `{"spec":{"renewTime":"soon"}}`, 422, "patch: Invalid value")
	})
}

// TestUnsupported: what the servers do not have fails the run, by name.
func TestUnsupported(t *testing.T) {
	for _, test := range []struct{ request, body, field, want string }{
		{"GET /api/v1/pods", "", "", "GET /api/v1/pods"},
		{"DELETE", "", "", "DELETE " + leases},
		{"POST lock", "{}", "", "POST " + leases + "/lock"},
		{"GET ?labelSelector=a", "", "", "labelSelector"},
		{"GET ?limit=5", "", "", "limit"},
		{"GET ?fieldSelector=spec.x%3D1", "", "", "fieldSelector=spec.x=1"},
		{"PUT lock?dryRun=All", object("lock", "", ""), "", "dryRun"},
		{"PATCH lock", "[]", "Content-Type: application/json-patch+json", "patch with the content type application/json-patch+json"},
		{"PATCH lock", "{}", "Content-Type: application/strategic-merge-patch+json", "strategic-merge"},
		{"POST", "k8s", "Content-Type: application/vnd.kubernetes.protobuf", "create with the content type application/vnd.kubernetes.protobuf"},
		{"GET lock", "", "Accept: application/vnd.kubernetes.protobuf", "answers in application/vnd.kubernetes.protobuf"},
		{"POST", `{"metadata":{"generateName":"a-"}}`, "", "metadata.generateName"},
		{"POST", `{"metadata":{"name":"a","finalizers":["x"]}}`, "", "metadata.finalizers"},
		{"DELETE lock?propagationPolicy=Foreground", "", "", "propagationPolicy=Foreground"},
	} {
		f := refusal(t, func(p *play) { p.ask(test.request, test.body, test.field) })
		if f == nil || !f.Refused || !strings.HasPrefix(f.Reason, "the simulated API server does not support") || !strings.Contains(f.Reason, test.want) {
			t.Errorf("%s: %+v, want %s", test.request, f, test.want)
		}
	}
}

// TestObservations: a change is observed once as the truth, with the end of the lease and a note.
func TestObservations(t *testing.T) {
	p, _ := run(t, Options{Servers: 3}, func(p *play) {
		p.ask("POST", object("lock", "", "a"))
		p.ask("PATCH lock", `{"spec":{"leaseTransitions":1}}`)
		p.ask("PATCH lock", `{"spec":{"holderIdentity":"b"}}`)
		p.ask("PATCH lock", `{"spec":{"holderIdentity":""}}`)
		p.ask("DELETE lock", "")
	})
	var got []string
	for _, o := range p.seen {
		if o.Authority == "" {
			continue
		}
		text := o.Event() + " " + o.Value
		if (o.ExpiresAt != 0) != (o.Value != "" || o.Kind == model.Noted && o.Key != "") {
			t.Errorf("%+v: a wrong end", o)
		}
		got = append(got, text)
	}
	want := "serving |created a|changed a|lease-renewed |changed b|lease-taken-over |changed |deleted "
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
}
