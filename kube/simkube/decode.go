package simkube

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// decodeKind parses the kind and the version of an object. The error's text is that of a server, which parses into a
// struct of this form.
func decodeKind(body []byte) (kind, api string, err error) {
	var o struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(body, &o); err != nil {
		return "", "", fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	return o.Kind, o.APIVersion, nil
}

// unregistered is the text of an error about a kind that a server does not know.
func unregistered(kind, api string) string {
	return fmt.Sprintf("no kind %q is registered for version %q in scheme \"pkg/runtime/scheme.go:111\"", kind, api)
}

// decodeLease parses a lease that a client has sent. Names of unknown fields are ignored.
func decodeLease(body []byte) (*lease, *status) {
	kind, api, err := decodeKind(body)
	kind, api = cmp.Or(kind, "Lease"), cmp.Or(api, apiVersion)
	switch {
	case err != nil:
		return nil, badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type Lease): %v (%s)", err, beginning(body)))
	case kind != "Lease" || api != apiVersion:
		return nil, badRequest(fmt.Sprintf("%s in version %q cannot be handled as a Lease: %s", kind, version(api), unregistered(kind, api)))
	}
	l := new(lease)
	if err := decode(body, l); err != nil {
		return nil, badRequest(fmt.Sprintf("Lease in version %q cannot be handled as a Lease: %v", "v1", err))
	}
	return l, nil
}

// version is the last part of an API version.
func version(api string) string { return api[strings.LastIndex(api, "/")+1:] }

// beginning is what a server shows of a body that it cannot parse.
func beginning(body []byte) string {
	const most = 30
	text, is := string(body), strings.HasPrefix(string(body), "{")
	switch {
	case text == "":
		return "<empty>"
	case is && len(text) > most:
		return text[:most] + " ..."
	case is:
		return text
	case len(body) > most:
		return hex.EncodeToString(body[:most]) + " ..."
	}
	return hex.EncodeToString(body)
}

// types has the names of a server's types for those of this package, in the errors of package json.
var types = strings.NewReplacer("field lease.", "field Lease.", "field meta.", "field ObjectMeta.", "field leaseSpec.", "field LeaseSpec.",
	"field deleteOptions.", "field DeleteOptions.", "field preconditions.", "field Preconditions.",
	"simkube.leaseSpec", "v1.LeaseSpec", "simkube.meta", "v1.ObjectMeta", "simkube.preconditions", "v1.Preconditions")

// decode parses an object. Errors name the types of a server.
func decode(body []byte, object any) error {
	if err := json.Unmarshal(body, object); err != nil {
		return errors.New(types.Replace(err.Error()))
	}
	return nil
}

// deleteOptions are the body of a DELETE.
type deleteOptions struct {
	DryRun            []string      `json:"dryRun"`
	PropagationPolicy string        `json:"propagationPolicy"`
	OrphanDependents  *bool         `json:"orphanDependents"`
	Preconditions     preconditions `json:"preconditions"`
}

type preconditions struct {
	UID             *string `json:"uid"`
	ResourceVersion *string `json:"resourceVersion"`
}

// decodeOptions parses the body of a DELETE, if there is one.
func decodeOptions(body []byte) (o deleteOptions, refused *status) {
	if len(body) == 0 {
		return o, nil
	}
	const meta = "meta.k8s.io/v1"
	kind, api, err := decodeKind(body)
	kind, api = cmp.Or(kind, "DeleteOptions"), cmp.Or(api, meta)
	switch {
	case err != nil:
		return o, badRequest(err.Error())
	case kind != "DeleteOptions", api != "v1" && api != apiVersion && api != meta:
		return o, badRequest(unregistered(kind, api))
	}
	if err := decode(body, &o); err != nil {
		return o, badRequest(err.Error())
	}
	return o, nil
}
