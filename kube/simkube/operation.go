package simkube

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// operation is the content of a log entry: a request that may change a lease. Every server carries it out
// with the same result. So whether its preconditions hold is decided by its place in the log.
type operation interface {
	// apply returns the lease after the change, nil if it was deleted, and the answer. Old is the lease
	// before, or nil. Without a change it returns old.
	apply(old *lease) (*lease, answer)
	// target is the key of the lease.
	target() string
	// String describes it in a word or two.
	String() string
}

// answer is an HTTP status with an object.
type answer struct {
	code   int
	object any
}

// fails is the answer that is an error.
func fails(s *status) answer { return answer{s.Code, s} }

// stamp is what the server that gets a request adds to a lease that it creates.
type stamp struct{ uid, created string }

// fill completes a lease that is about to be created.
func (s stamp) fill(l *lease) *lease {
	made := *l
	made.Metadata.UID, made.Metadata.CreationTimestamp, made.Metadata.ResourceVersion = s.uid, &s.created, ""
	return &made
}

// create is a POST.
type create struct {
	lease *lease
	stamp stamp
}

func (o *create) target() string { return o.lease.key() }
func (o *create) String() string { return "create " + o.lease.key() }

func (o *create) apply(old *lease) (*lease, answer) {
	if old != nil {
		return old, fails(alreadyExists(o.lease.Metadata.Name))
	}
	made := o.stamp.fill(o.lease)
	return made, answer{http.StatusCreated, made}
}

// update is a PUT. It creates a lease that is not there (AllowCreateOnUpdate), whatever its resource version.
type update struct {
	lease *lease
	stamp stamp
}

func (o *update) target() string { return o.lease.key() }
func (o *update) String() string { return "update " + o.lease.key() }

func (o *update) apply(old *lease) (*lease, answer) {
	want := o.lease.Metadata.UID
	if have := uidOf(old); want != "" && want != have {
		return old, fails(conflict(o.lease.Metadata.Name, unmet(o.lease.key(), want, have)))
	}
	if _, err := strconv.ParseUint(o.lease.Metadata.ResourceVersion, 10, 64); err != nil && o.lease.Metadata.ResourceVersion != "" {
		return old, fails(ofStorage(err.Error()))
	}
	if old == nil {
		if err := o.lease.validate(nil); err != nil {
			return nil, fails(err)
		}
		made := o.stamp.fill(o.lease)
		return made, answer{http.StatusCreated, made}
	}
	return replace(old, o.lease)
}

// replace makes a lease another one, if it names the present resource version.
func replace(old, by *lease) (*lease, answer) {
	name, version := by.Metadata.Name, by.Metadata.ResourceVersion
	if n, err := strconv.ParseUint(version, 10, 64); version != "" && err != nil {
		return old, fails(ofStorage(err.Error()))
	} else if n == 0 {
		return old, fails(invalid("leases", name, cause{"FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion"}))
	}
	if version != old.Metadata.ResourceVersion {
		return old, fails(conflict(name, modified))
	}
	if err := by.validate(old); err != nil {
		return old, fails(err)
	}
	made := *by
	made.Metadata.UID, made.Metadata.CreationTimestamp = old.Metadata.UID, old.Metadata.CreationTimestamp
	if made.same(old) {
		return old, answer{http.StatusOK, old} // and no new resource version
	}
	return &made, answer{http.StatusOK, &made}
}

func uidOf(l *lease) string {
	if l == nil {
		return ""
	}
	return l.Metadata.UID
}

// patch is a PATCH with a JSON merge patch. Without a resource version it applies to any.
type patch struct {
	namespace, name string
	content         json.RawMessage
}

func (o *patch) target() string { return o.namespace + "/" + o.name }
func (o *patch) String() string { return "patch " + o.target() }

func (o *patch) apply(old *lease) (*lease, answer) {
	if old == nil {
		return nil, fails(notFound(o.name))
	}
	by, refused := o.patched(old)
	if refused != nil {
		return old, fails(refused)
	}
	return replace(old, by)
}

// patched returns the lease with the patch, checked, or an error.
func (o *patch) patched(old *lease) (*lease, *status) {
	text, by := merge(encode(old), o.content), new(lease)
	kind, api, err := decodeKind(text)
	kind = cmp.Or(kind, "Lease")
	switch {
	case err != nil:
	case api == "":
		return nil, nameless(o.name)
	case kind != "Lease" || api != apiVersion:
		err = errors.New(unregistered(kind, api))
	default:
		err = decode(text, by)
	}
	if err != nil {
		body := fmt.Sprintf("Invalid value: %q: %v", text, err)
		s := failure(http.StatusUnprocessableEntity, "Invalid", " \"\" is invalid: patch: "+body)
		s.Details = &details{Causes: []cause{{"FieldValueInvalid", body, "patch"}}}
		return nil, s
	}
	return by, by.check(o.namespace, o.name)
}

// remove is a DELETE.
type remove struct {
	namespace, name string
	uid, version    *string // preconditions
}

func (o *remove) target() string { return o.namespace + "/" + o.name }
func (o *remove) String() string { return "delete " + o.target() }

func (o *remove) apply(old *lease) (*lease, answer) {
	switch {
	case old == nil:
		return nil, fails(notFound(o.name))
	case o.uid != nil && *o.uid != old.Metadata.UID:
		return old, fails(mismatch(o.name, "UID", *o.uid, old.Metadata.UID, "deleted and then recreated"))
	case o.version != nil && *o.version != old.Metadata.ResourceVersion:
		return old, fails(mismatch(o.name, "ResourceVersion", *o.version, old.Metadata.ResourceVersion, "modified"))
	}
	return nil, answer{http.StatusOK, deleted(old)}
}
