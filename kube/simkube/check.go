package simkube

import (
	"fmt"
	"regexp"
	"strings"
)

// check checks a lease that a client has sent to a path, and completes its namespace, its kind and its
// version. It returns an error, or nil.
func (l *lease) check(namespace, name string) *status {
	m := &l.Metadata
	switch {
	case l.Kind != "" && l.Kind != "Lease" || l.APIVersion != "" && l.APIVersion != apiVersion:
		return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a Lease: no kind %q is registered for version %q", l.Kind, version(l.APIVersion), l.Kind, l.APIVersion))
	case m.Namespace != "" && m.Namespace != namespace:
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	case name != "" && m.Name != name:
		return badRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", m.Name, name))
	}
	l.Kind, l.APIVersion, m.Namespace = "Lease", apiVersion, namespace
	return l.validate()
}

// version is the last part of an API version.
func version(api string) string { return api[strings.LastIndex(api, "/")+1:] }

// subdomain is what a name must match (RFC 1123).
var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

const subdomainMessage = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
	"and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

// validate checks the fields.
func (l *lease) validate() *status {
	name, s := l.Metadata.Name, &l.Spec
	bad := func(field, value, why string) *status {
		return invalid("Lease", name, field, "FieldValueInvalid", "Invalid value: "+value+": "+why)
	}
	switch {
	case name == "":
		return invalid("Lease", name, "metadata.name", "FieldValueRequired", "Required value: name or generateName is required")
	case len(name) > 253:
		return bad("metadata.name", fmt.Sprintf("%q", name), "must be no more than 253 bytes")
	case !subdomain.MatchString(name):
		return bad("metadata.name", fmt.Sprintf("%q", name), subdomainMessage)
	case s.LeaseDurationSeconds != nil && *s.LeaseDurationSeconds <= 0:
		return bad("spec.leaseDurationSeconds", fmt.Sprint(*s.LeaseDurationSeconds), "must be greater than 0")
	case s.LeaseTransitions != nil && *s.LeaseTransitions < 0:
		return bad("spec.leaseTransitions", fmt.Sprint(*s.LeaseTransitions), "must be greater than or equal to 0")
	}
	return nil
}
