package simkube

import (
	"bytes"
	"encoding/json"
	"time"
)

const (
	group      = "coordination.k8s.io"
	apiVersion = group + "/v1"
	qualified  = "leases." + group
)

// lease is an object of the API, with the fields that the servers keep. Values are shared between versions,
// and are never changed.
type lease struct {
	Kind       string    `json:"kind,omitempty"`
	APIVersion string    `json:"apiVersion,omitempty"`
	Metadata   meta      `json:"metadata"`
	Spec       leaseSpec `json:"spec"`
}

type meta struct {
	Name              string            `json:"name,omitempty"`
	GenerateName      string            `json:"generateName,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	CreationTimestamp *string           `json:"creationTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`

	// What the servers do not support: see unsupported.
	Finalizers      []string          `json:"finalizers,omitempty"`
	OwnerReferences []json.RawMessage `json:"ownerReferences,omitempty"`
}

type leaseSpec struct {
	HolderIdentity       *string    `json:"holderIdentity,omitempty"`
	LeaseDurationSeconds *int32     `json:"leaseDurationSeconds,omitempty"`
	AcquireTime          *microTime `json:"acquireTime,omitempty"`
	RenewTime            *microTime `json:"renewTime,omitempty"`
	LeaseTransitions     *int32     `json:"leaseTransitions,omitempty"`
	Strategy             *string    `json:"strategy,omitempty"`
	PreferredHolder      *string    `json:"preferredHolder,omitempty"`
}

// microTime is a time with exactly six digits of its second, as the API has it.
type microTime struct{ time.Time }

const microLayout = "2006-01-02T15:04:05.000000Z07:00"

// UnmarshalJSON parses a time.
func (t *microTime) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	at, err := time.Parse(microLayout, text)
	t.Time = at
	return err
}

// MarshalJSON returns the time in UTC.
func (t microTime) MarshalJSON() ([]byte, error) { return json.Marshal(t.UTC().Format(microLayout)) }

// key is that of the lease in the records: its namespace and its name.
func (l *lease) key() string { return l.Metadata.Namespace + "/" + l.Metadata.Name }

// holder returns holderIdentity, which is empty if nobody holds the lease.
func (l *lease) holder() string {
	if l.Spec.HolderIdentity == nil {
		return ""
	}
	return *l.Spec.HolderIdentity
}

// lasts is how long the holder has the lease after a renewal, 0 if that is unknown.
func (l *lease) lasts() time.Duration {
	if l.Spec.LeaseDurationSeconds == nil {
		return 0
	}
	return time.Duration(*l.Spec.LeaseDurationSeconds) * time.Second
}

// unsupported names what a lease has that the servers do not support, or returns "".
func (l *lease) unsupported() string {
	switch m := &l.Metadata; {
	case m.GenerateName != "" && m.Name == "":
		return "metadata.generateName"
	case len(m.Finalizers) > 0:
		return "metadata.finalizers"
	case len(m.OwnerReferences) > 0:
		return "metadata.ownerReferences"
	case l.Spec.Strategy != nil || l.Spec.PreferredHolder != nil:
		return "coordinated leader election (spec.strategy, spec.preferredHolder)"
	}
	return ""
}

// same reports whether two leases have the same content, apart from their resource version.
func (l *lease) same(other *lease) bool {
	a, b := *l, *other
	a.Metadata.ResourceVersion, b.Metadata.ResourceVersion = "", ""
	return string(encode(a)) == string(encode(b))
}

// encode returns the JSON of an object, which ends with a newline as the servers' does.
func encode(object any) []byte {
	b, err := json.Marshal(object)
	if err != nil {
		panic("simkube: " + err.Error()) // all of it can be encoded
	}
	return append(b, '\n')
}

// merge applies a JSON merge patch (RFC 7386): null removes. Objects that are patched have their members sorted.
func merge(target, patch json.RawMessage) json.RawMessage {
	var changes map[string]json.RawMessage
	if json.Unmarshal(patch, &changes) != nil || changes == nil {
		return patch
	}
	var result map[string]json.RawMessage
	if json.Unmarshal(target, &result) != nil || result == nil {
		result = map[string]json.RawMessage{}
	}
	for name, value := range changes { // unordered: each by itself
		if string(value) == "null" {
			delete(result, name)
		} else {
			result[name] = merge(result[name], value)
		}
	}
	return bytes.TrimSuffix(encode(result), []byte("\n"))
}
