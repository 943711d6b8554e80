package simkube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
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

// unmet is why an update with another uid is not carried out.
func unmet(key, want, have string) string {
	return fmt.Sprintf("StorageError: invalid object, Code: 4, Key: /registry/leases/%s, ResourceVersion: 0, AdditionalErrorMsg: "+
		"Precondition failed: UID in precondition: %s, UID in object meta: %s", key, want, have)
}

// mismatch is the answer to a DELETE whose precondition does not hold.
func mismatch(name, field, want, have, happened string) *status {
	s := failure(http.StatusConflict, "Conflict", fmt.Sprintf("Operation cannot be fulfilled on Lease.%s %q: the %s in the precondition (%s) does not match "+
		"the %s in record (%s). The object might have been %s", group, name, field, want, field, have, happened)).about(name)
	s.Details.Kind = "Lease"
	return s
}

// invalid is the answer to an object whose fields have bad values. Kind is that of the object in the message.
func invalid(kind, name string, causes ...cause) *status {
	var texts []string
	for _, c := range causes {
		if one := c.Field + ": " + c.Message; !slices.Contains(texts, one) {
			texts = append(texts, one)
		}
	}
	text := texts[0]
	if len(texts) > 1 {
		text = "[" + strings.Join(texts, ", ") + "]"
	}
	s := failure(http.StatusUnprocessableEntity, "Invalid", fmt.Sprintf("%s.%s %q is invalid: %s", kind, group, name, text)).about(name)
	s.Details.Kind, s.Details.Causes = kind, causes
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
