package simkube

import (
	"fmt"
	"net/http"
)

// status is the answer to a request without an object, most often an error.
type status struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Metadata   struct{} `json:"metadata"`
	Status     string   `json:"status"`
	Message    string   `json:"message,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Details    *details `json:"details,omitempty"`
	Code       int      `json:"code,omitempty"`
}

type details struct {
	Name              string  `json:"name,omitempty"`
	Group             string  `json:"group,omitempty"`
	Kind              string  `json:"kind,omitempty"`
	UID               string  `json:"uid,omitempty"`
	Causes            []cause `json:"causes,omitempty"`
	RetryAfterSeconds int     `json:"retryAfterSeconds,omitempty"`
}

type cause struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
}

// failure returns a status that is an error.
func failure(code int, reason, message string) *status {
	return &status{Kind: "Status", APIVersion: "v1", Status: "Failure", Code: code, Reason: reason, Message: message}
}

// about names the lease that a status is about.
func (s *status) about(name string) *status {
	s.Details = &details{Name: name, Group: group, Kind: "leases"}
	return s
}

func notFound(name string) *status {
	return failure(http.StatusNotFound, "NotFound", fmt.Sprintf("%s %q not found", qualified, name)).about(name)
}

func alreadyExists(name string) *status {
	return failure(http.StatusConflict, "AlreadyExists", fmt.Sprintf("%s %q already exists", qualified, name)).about(name)
}

func conflict(name, why string) *status {
	return failure(http.StatusConflict, "Conflict", fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", qualified, name, why)).about(name)
}

// modified is why a lease with another resource version is not changed.
const modified = "the object has been modified; please apply your changes to the latest version and try again"

// unmet is why a request with a precondition is not carried out.
func unmet(key, field, want, have string) string {
	return fmt.Sprintf("StorageError: invalid object, Code: 4, Key: /registry/leases/%s, ResourceVersion: 0, AdditionalErrorMsg: "+
		"Precondition failed: %s in precondition: %s, %s in object meta: %s", key, field, want, field, have)
}

// invalid is the answer to an object whose field has a bad value. Kind is that of the object in the message.
func invalid(kind, name, field, reason, body string) *status {
	s := failure(http.StatusUnprocessableEntity, "Invalid", fmt.Sprintf("%s.%s %q is invalid: %s: %s", kind, group, name, field, body)).about(name)
	s.Details.Kind = kind
	s.Details.Causes = []cause{{reason, body, field}}
	return s
}

func badRequest(message string) *status {
	return failure(http.StatusBadRequest, "BadRequest", message)
}

// timedOut is the answer to a request that took too long. It may still be carried out.
func timedOut(message string, retryAfter int) *status {
	s := failure(http.StatusGatewayTimeout, "Timeout", "Timeout: "+message)
	s.Details = &details{RetryAfterSeconds: retryAfter}
	return s
}

// ofStorage is the answer when etcd has failed a request.
func ofStorage(message string) *status {
	return failure(http.StatusInternalServerError, "", message)
}

// expired is the answer to a watch from a resource version that the server's cache does not have.
func expired(from, oldest int64) *status {
	return failure(http.StatusGone, "Expired", fmt.Sprintf("too old resource version: %d (%d)", from, oldest))
}

// deleted is the answer to a request that has deleted a lease.
func deleted(l *lease) *status {
	s := (&status{Kind: "Status", APIVersion: "v1", Status: "Success"}).about(l.Metadata.Name)
	s.Details.UID = l.Metadata.UID
	return s
}
