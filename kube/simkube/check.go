package simkube

import (
	"fmt"
	"regexp"
)

// check checks a lease that a client has sent to a path, and completes its namespace, its kind and its
// version. It returns an error, or nil.
func (l *lease) check(namespace, name string) *status {
	m := &l.Metadata
	switch {
	case m.Namespace != "" && m.Namespace != namespace:
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	case name != "" && m.Name == "":
		return nameless(name)
	case name != "" && m.Name != name:
		return badRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", m.Name, name))
	}
	l.Kind, l.APIVersion, m.Namespace = "Lease", apiVersion, namespace
	return nil
}

// nameless is the answer to an object without a name. Name is that of the path.
func nameless(name string) *status {
	return badRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
}

// subdomain is what a name must match (RFC 1123).
var subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

const subdomainMessage = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
	"and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

// validate checks the fields, and those that must be as in the lease before, if there is one. It returns an error, or nil.
func (l *lease) validate(old *lease) *status {
	name, s := l.Metadata.Name, &l.Spec
	var causes []cause
	bad := func(field, value, why string) {
		causes = append(causes, cause{"FieldValueInvalid", "Invalid value: " + value + ": " + why, field})
	}
	switch {
	case name == "":
		causes = append(causes, cause{"FieldValueRequired", "Required value: name or generateName is required", "metadata.name"})
	case len(name) > 253:
		bad("metadata.name", fmt.Sprintf("%q", name), "must be no more than 253 characters")
	case !subdomain.MatchString(name):
		bad("metadata.name", fmt.Sprintf("%q", name), subdomainMessage)
	}
	if uid := l.Metadata.UID; old != nil && uid != "" && uid != old.Metadata.UID {
		for range 2 { // the rules of all objects say so, and those of leases
			bad("metadata.uid", fmt.Sprintf("%q", uid), "field is immutable")
		}
	}
	if s.LeaseDurationSeconds != nil && *s.LeaseDurationSeconds <= 0 {
		bad("spec.leaseDurationSeconds", fmt.Sprint(*s.LeaseDurationSeconds), "must be greater than 0")
	}
	if s.LeaseTransitions != nil && *s.LeaseTransitions < 0 {
		bad("spec.leaseTransitions", fmt.Sprint(*s.LeaseTransitions), "must be greater than or equal to 0")
	}
	if causes == nil {
		return nil
	}
	return invalid("Lease", name, causes...)
}
